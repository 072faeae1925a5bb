//! The options of a command line.

use std::collections::BTreeMap;

/// No number of a launch is as large, and no product of its numbers then exceeds 2^128.
const LARGEST: u128 = 1 << 24;

/// Options of the launchers that multiply to the world size.
const WORLD: [[&[&str]; 2]; 3] = [
    [&["--nnodes"], &["--nproc-per-node", "--nproc_per_node"]],
    [&["--num_nodes"], &["--num_gpus"]],
    [&["-n", "-np", "--ntasks"], &[]],
];

/// The options of a command line with their values.
pub(super) struct Arguments {
    values: BTreeMap<String, Option<String>>,
}

impl Arguments {
    /// Reads `--option value`, `--option=value` and `--option`.
    pub(super) fn of(text: &str) -> Self {
        let lines = text
            .lines()
            .map(|line| line.split(" #").next().unwrap_or_default());
        let lines = lines.filter(|line| !line.trim_start().starts_with('#'));
        let words: Vec<String> = lines
            .flat_map(str::split_whitespace)
            .map(|word| word.trim_matches(['"', '\'']).to_owned())
            .filter(|word| word != "\\" && !word.is_empty())
            .collect();
        let mut values = BTreeMap::new();
        for (at, word) in words.iter().enumerate() {
            if let Some((option, value)) = word.split_once('=').filter(|_| word.starts_with('-')) {
                values.insert(option.to_owned(), Some(value.to_owned()));
            } else if word.starts_with('-') {
                let value = words.get(at + 1).filter(|next| !next.starts_with('-'));
                values.insert(word.clone(), value.cloned());
            }
        }
        Self { values }
    }

    /// Whether an option is given.
    pub(super) fn has(&self, option: &str) -> bool {
        self.values.contains_key(option)
    }

    /// The value of an option as it is written; `None` if the option is not given.
    pub(super) fn text(&self, option: &str) -> Option<&str> {
        let value = self.values.get(option)?;
        Some(value.as_deref().unwrap_or_default())
    }

    /// The positive number of an option; `None` if the option is not given.
    ///
    /// # Errors
    /// A message, if the value is no positive number.
    pub(super) fn number(&self, option: &str) -> Result<Option<u128>, String> {
        let Some(text) = self.text(option) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) if (1..LARGEST).contains(&number) => Ok(Some(number)),
            _ => Err(format!(
                "{option} {text:?} is no positive number below 2^24"
            )),
        }
    }

    /// The positive number of an option that must be given.
    ///
    /// # Errors
    /// A message, if the option is missing or no positive number.
    pub(super) fn needed(&self, option: &str) -> Result<u128, String> {
        let number = self.number(option)?;
        number.ok_or_else(|| format!("the launch has no {option}, and the traffic depends on it"))
    }

    /// Number of ranks of a host, if the options of the launcher tell it.
    pub(super) fn ranks_of_host(&self) -> Option<usize> {
        let mut each = WORLD.iter().flat_map(|[_, each]| *each);
        let number = each.find_map(|name| self.number(name).ok()?)?;
        usize::try_from(number).ok()
    }

    /// World size, from the options of the launcher.
    pub(super) fn world(&self) -> Result<usize, String> {
        let given = |names: &[&str]| {
            let mut numbers = names.iter().map(|name| self.number(name));
            numbers.find_map(Result::transpose).transpose()
        };
        for [factor, other] in WORLD {
            let Some(first) = given(factor)? else {
                continue;
            };
            let second = if other.is_empty() {
                Some(1)
            } else {
                given(other)?
            };
            let Some(second) = second else {
                continue;
            };
            return usize::try_from(first * second).map_err(|e| e.to_string());
        }
        Err("the launch does not name the number of its ranks: --nnodes and --nproc-per-node, --num_nodes and --num_gpus, or -n".into())
    }
}
