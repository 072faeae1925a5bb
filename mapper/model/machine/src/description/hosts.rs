//! Names of the nodes: `--hosts FILE|LIST`.
//!
//! There is one entry for each node, in node order. A list is `a,b,-,c`. A file has one line `name
//! [slots=K]` for each entry, and maybe blank lines and comments from a `#` on. For a machine file
//! that names its hosts, the entries are the hosts that the job may use, in any order. The entry
//! `-` is a node that the job cannot use: the node has links and no slots.

use super::MachineError;
use rankfold_base::words::counted;
use std::collections::HashMap;
use std::path::Path;

/// The entry for a node that the job cannot use.
pub const UNUSABLE: &str = "-";

/// Host names, and the number of slots of each host if it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostList {
    /// The value that the user gave, for error messages.
    given: String,
    from_file: bool,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Line of the entry in the file; `None` for an entry of a list.
    line: Option<usize>,
    name: String,
    slots: Option<u32>,
}

impl HostList {
    /// Reads the value of `--hosts`: a file if there is a file of that name, otherwise a list.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`], naming file and line.
    pub fn parse(given: &str) -> Result<Self, MachineError> {
        let path = Path::new(given);
        if !path.is_file() {
            return Self::from_list(given);
        }
        match rankfold_base::files::read_text(path) {
            Ok(text) => Self::from_text(&text, given),
            Err(error) => Err(bad(given, format!("cannot read the file: {error}"))),
        }
    }

    /// Reads names separated by commas.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`].
    pub fn from_list(list: &str) -> Result<Self, MachineError> {
        let entries: Result<Vec<Entry>, String> = list.split(',').map(entry).collect();
        Self::checked(list, false, entries.map_err(|problem| bad(list, problem))?)
    }

    /// Reads the text of a host file; `file` is its name for error messages.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`], naming file and line.
    pub fn from_text(text: &str, file: &str) -> Result<Self, MachineError> {
        let mut entries = Vec::new();
        let mut line_of = HashMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let at = || format!("{file}:{number}");
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let entry = entry(line).map_err(|problem| bad(&at(), problem))?;
            if entry.name != UNUSABLE
                && let Some(first) = line_of.insert(entry.name.clone(), number)
            {
                let name = entry.name;
                return Err(bad(
                    &at(),
                    format!("host {name} is already on line {first}"),
                ));
            }
            entries.push(Entry {
                line: Some(number),
                ..entry
            });
        }
        Self::checked(file, true, entries)
    }

    /// The names in the order of the entries, including [`UNUSABLE`].
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    fn checked(given: &str, from_file: bool, entries: Vec<Entry>) -> Result<Self, MachineError> {
        let mut names: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
        names.sort_unstable();
        let twice = |pair: &&[&str]| pair[0] == pair[1] && pair[0] != UNUSABLE;
        if let Some(pair) = names.windows(2).find(twice) {
            return Err(bad(given, format!("host {} is named twice", pair[0])));
        }
        Ok(Self {
            given: given.into(),
            from_file,
            entries,
        })
    }

    /// Names and numbers of slots of all nodes. `capacities` holds for hosts whose entry gives no
    /// number.
    ///
    /// If the machine `names` its nodes, the entries are the nodes that the job may use, in any
    /// order.
    pub(crate) fn fit(
        self,
        capacities: &[u32],
        names: Option<&[String]>,
    ) -> Result<(Vec<String>, Vec<u32>), MachineError> {
        if let Some(names) = names {
            return self.select(capacities, names);
        }
        let nodes = capacities.len();
        if self.entries.len() != nodes {
            let count = self.entries.len();
            let hint = if self.from_file || count > 1 {
                "list one host a node in node order, - for a node the job cannot use"
            } else {
                "there is no file of this name; list one host a node in node order"
            };
            return Err(bad(
                &self.given,
                format!(
                    "{} for a machine of {}: {hint}",
                    counted(count, "host"),
                    counted(nodes, "node")
                ),
            ));
        }
        Ok(self
            .entries
            .into_iter()
            .zip(capacities)
            .map(|(entry, &capacity)| {
                let slots = match entry.name.as_str() {
                    UNUSABLE => 0,
                    _ => entry.slots.unwrap_or(capacity),
                };
                (entry.name, slots)
            })
            .unzip())
    }
}

impl HostList {
    /// Matches the entries with the names that the machine gives its nodes.
    fn select(
        self,
        capacities: &[u32],
        names: &[String],
    ) -> Result<(Vec<String>, Vec<u32>), MachineError> {
        let number: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let at = |line: Option<usize>| match line {
            Some(line) => format!("{}:{line}", self.given),
            None => self.given.clone(),
        };
        let mut chosen = vec![UNUSABLE.to_owned(); names.len()];
        let mut slots = vec![0; names.len()];
        for entry in self.entries.iter().filter(|e| e.name != UNUSABLE) {
            let Some(&node) = number.get(entry.name.as_str()) else {
                let problem = format!("the machine has no host {}", entry.name);
                return Err(bad(&at(entry.line), problem));
            };
            slots[node] = entry.slots.unwrap_or(capacities[node]);
            chosen[node].clone_from(&entry.name);
        }
        Ok((chosen, slots))
    }
}

fn entry(text: &str) -> Result<Entry, String> {
    let mut words = text.split_whitespace();
    let name = words
        .next()
        .ok_or("a host name is missing between two commas")?;
    let slots = match words.next() {
        None => None,
        Some(_) if name == UNUSABLE => {
            return Err("- is a node the job cannot use: it takes no slots".into());
        }
        Some(word) => {
            let count = word.strip_prefix("slots=").and_then(|k| k.parse().ok());
            match count.filter(|&k: &u32| k > 0) {
                Some(slots) => Some(slots),
                None => {
                    return Err(format!(
                        "{word:?} is not slots=K with K at least 1 (for an unusable node write - instead of the host)"
                    ));
                }
            }
        }
    };
    match words.next() {
        Some(word) => Err(format!(
            "unexpected {word:?}: an entry is a name and maybe slots=K"
        )),
        None => Ok(Entry {
            line: None,
            name: name.into(),
            slots,
        }),
    }
}

fn bad(list: &str, problem: impl Into<String>) -> MachineError {
    MachineError::BadHosts {
        list: list.into(),
        problem: problem.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, parse};
    use rankfold_base::NodeId;

    fn ring(hosts: Result<HostList, MachineError>) -> Result<Machine, MachineError> {
        Machine::new(parse("torus:3").unwrap(), 4, Some(hosts?))
    }

    fn capacities(machine: &Machine) -> Vec<u32> {
        (0..3)
            .map(|n| machine.slots().capacity(NodeId(n)))
            .collect()
    }

    #[test]
    fn a_list_names_nodes_in_order() {
        let machine = ring(HostList::from_list("n3,-,n1")).unwrap();
        assert_eq!(machine.hosts().unwrap(), ["n3", "-", "n1"]);
        assert_eq!(capacities(&machine), [4, 0, 4]);
    }

    #[test]
    fn a_file_may_say_how_many_ranks_a_host_takes() {
        let text = "# rack 1\nn0 slots=2\n\nn1   # spare\n-\n";
        let machine = ring(HostList::from_text(text, "hosts")).unwrap();
        assert_eq!(machine.hosts().unwrap(), ["n0", "n1", "-"]);
        assert_eq!(capacities(&machine), [2, 4, 0]);
    }

    #[test]
    fn a_file_is_preferred_to_a_list_of_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts");
        std::fs::write(&path, "a\nb\nc\n").unwrap();
        let machine = ring(HostList::parse(path.to_str().unwrap())).unwrap();
        assert_eq!(machine.hosts().unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn mistakes_name_file_and_line() {
        for (text, expected) in [
            ("a\nb\n", "--hosts f: 2 hosts for a machine of 3 nodes"),
            ("a\n\na\nb\n", "--hosts f:3: host a is already on line 1"),
            (
                "a slots=0\nb\nc\n",
                "--hosts f:1: \"slots=0\" is not slots=K",
            ),
            (
                "a\nb cores=2\nc\n",
                "--hosts f:2: \"cores=2\" is not slots=K",
            ),
            ("a\nb\n- slots=2\n", "--hosts f:3: - is a node"),
            ("a\nb slots=2 c\n", "--hosts f:2: unexpected \"c\""),
        ] {
            let error = ring(HostList::from_text(text, "f"))
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
        for (list, expected) in [
            ("a,b,a", "host a is named twice"),
            ("a,,b", "a host name is missing"),
            (
                "hosts.txt",
                "1 host for a machine of 3 nodes: there is no file",
            ),
        ] {
            let error = ring(HostList::parse(list)).unwrap_err().to_string();
            assert!(error.contains(expected), "{list:?}: {error}");
        }
    }

    #[test]
    fn a_file_that_names_hosts_the_machine_lacks_is_told_by_line() {
        let mut hardware = crate::Hardware::from(parse("torus:2").unwrap());
        hardware.names = Some(vec!["a".into(), "b".into()]);
        let hosts = HostList::from_text("b\n\nc\n", "f").unwrap();
        let error = Machine::new(hardware, 4, Some(hosts))
            .unwrap_err()
            .to_string();
        assert_eq!(error, "--hosts f:3: the machine has no host c");
    }

    #[test]
    fn slots_beyond_32_bits_are_refused() {
        let error = Machine::new(parse("torus:3").unwrap(), u32::MAX, None).unwrap_err();
        assert!(matches!(error, MachineError::TooManySlots { .. }));
    }
}
