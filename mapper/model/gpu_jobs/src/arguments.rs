//! The options of the command line of a launch, and the number of ranks that it starts.

use super::shell::{Script, open_names};
use std::collections::{BTreeMap, BTreeSet};

/// No number of a launch is as large, and no product of its numbers then exceeds 2^128.
const LARGEST: u128 = 1 << 24;

/// Numbers of nodes and of ranks on each node, by launcher. Without the number of nodes, there is
/// one.
const WORLD: [[&str; 2]; 2] = [
    ["--nnodes", "--nproc-per-node"],
    ["--num-nodes", "--num-gpus"],
];

/// Options of launchers that give the number of ranks itself, and that of `--set`.
const RANKS: [&str; 4] = ["--world-size", "--ntasks", "-np", "-n"];

/// Other names of options, and the names that are read.
const RENAMED: [(&str, &str); 5] = [
    ("--model-parallel-size", "--tensor-model-parallel-size"),
    ("--batch-size", "--micro-batch-size"),
    ("--encoder-seq-length", "--seq-length"),
    ("--encoder-num-layers", "--num-layers"),
    ("--pad-vocab-size-to", "--padded-vocab-size"),
];

/// The options of a command line with their values.
pub(super) struct Arguments {
    values: BTreeMap<String, Option<String>>,
    /// The number of ranks and of those of a node where no option of a launcher gives them.
    by_default: Option<(u64, u64)>,
}

impl Arguments {
    /// Reads `--option value`, `--option=value` and `--option` in the words of a command of
    /// `script`. Options that the user has given by `--set` count instead.
    pub(super) fn of(words: &[String], script: &Script, given: &[(String, String)]) -> Self {
        let mut values = BTreeMap::new();
        for (at, word) in words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.starts_with('-'))
        {
            let next = words.get(at + 1).filter(|next| !next.starts_with('-'));
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (word.as_str(), next.cloned()),
            };
            values.insert(plain(option), value);
        }
        for (old, name) in RENAMED {
            if let Some(value) = values.remove(old) {
                values.entry(name.to_owned()).or_insert(value);
            }
        }
        let options = given.iter().filter(|(name, _)| name.starts_with('-'));
        values.extend(options.map(|(name, value)| (plain(name), Some(value.clone()))));
        let is = |name: &str| {
            words
                .iter()
                .any(|word| word == name || word.ends_with(&format!("/{name}")))
        };
        let batch = script.batch;
        let by_default = if is("srun") {
            let of_node = batch.tasks_of_node.unwrap_or(1);
            batch.world().map(|ranks| (ranks, of_node))
        } else {
            let one = words.first().is_some_and(|word| word.starts_with("python"));
            (one && !words
                .iter()
                .any(|word| word.starts_with("torch.distributed")))
            .then_some((1, 1))
        };
        Self { values, by_default }
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
        match text.replace('_', "").parse() {
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
        number.ok_or_else(|| {
            format!("the launch has no {option}, and the traffic depends on it: --set {option}=N gives it")
        })
    }

    /// Checks that none of the options that are numbers depends on an open variable.
    ///
    /// # Errors
    /// A message that asks for all of these variables by name.
    pub(super) fn check_open(&self, of_model: &[&str]) -> Result<(), String> {
        let launchers = WORLD.as_flattened().iter().chain(&RANKS);
        let mut asked = BTreeSet::new();
        for option in of_model.iter().chain(launchers) {
            for name in self.text(option).iter().flat_map(|text| open_names(text)) {
                let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                asked.insert(if is_name { name } else { *option });
            }
        }
        if asked.is_empty() {
            return Ok(());
        }
        let asked: Vec<String> = asked
            .iter()
            .map(|name| format!("--set {name}=VALUE"))
            .collect();
        Err(format!(
            "the launch depends on what the script does not set: give it by {}",
            asked.join(" ")
        ))
    }

    /// Number of ranks of a host, if the options of the launcher tell it.
    pub(super) fn ranks_of_host(&self) -> Option<usize> {
        let each = WORLD.iter().map(|[_, each]| each);
        let number = each
            .chain(&["--ntasks-per-node"])
            .find_map(|name| self.number(name).ok()?);
        let number = number.or_else(|| Some(self.by_default?.1.into()));
        usize::try_from(number?).ok()
    }

    /// World size, from the options of the launcher or from the batch system.
    pub(super) fn world(&self) -> Result<usize, String> {
        let whole = |number: u128| usize::try_from(number).map_err(|e| e.to_string());
        if let Some(ranks) = self.number("--world-size")? {
            return whole(ranks);
        }
        for [nodes, each] in WORLD {
            let (nodes, each) = (self.number(nodes)?, self.number(each)?);
            if let Some(each) = each {
                return whole(nodes.unwrap_or(1) * each);
            }
        }
        let mut ranks = RANKS.iter().map(|name| self.number(name));
        if let Some(ranks) = ranks.find_map(Result::transpose).transpose()? {
            return whole(ranks);
        }
        let by_default = self.by_default.map(|(ranks, _)| whole(ranks.into()));
        by_default.unwrap_or_else(|| {
            Err("the launch does not name the number of its ranks: --nnodes and --nproc-per-node, --num_nodes and --num_gpus, or -n; --set --world-size=N gives it".into())
        })
    }
}

/// An option with hyphens between its words, which launchers also take as underscores.
fn plain(option: &str) -> String {
    option.replace('_', "-")
}
