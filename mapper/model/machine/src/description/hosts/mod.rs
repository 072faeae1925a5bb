//! Names of the nodes: `--hosts FILE|LIST`.
//!
//! There is one entry for each node, in node order. A list is `a,b,-,c`. A file has a line for each
//! entry, such as `name slots=K`. The module `listed` reads the lines of all launchers and batch
//! systems.
//! For a machine file that names its hosts, the entries are the hosts that the job may use, in the
//! order in which its launch fills them. The entry `-` is a node that the job cannot use: the node
//! has links and no slots.

mod brackets;
mod listed;
mod names;
mod select;

use super::{MachineError, Result};
pub use brackets::expand;
pub use listed::ListedHost;
pub use names::{check, is_same, short};
use rankfold_base::NodeId;
use rankfold_base::words::counted;
use std::path::Path;

/// The entry for a node that the job cannot use.
pub const UNUSABLE: &str = "-";

/// Host names, and the number of slots of each host if it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostList {
    /// The value that the user gave, for error messages.
    given: String,
    from_file: bool,
    entries: Vec<ListedHost>,
}

impl HostList {
    /// Reads the value of `--hosts`: a file if there is a file of that name, otherwise a list.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`], naming file and line.
    pub fn parse(given: &str) -> Result<Self> {
        let path = Path::new(given);
        if !path.is_file() {
            return Self::from_list(given).map_err(|error| match error {
                MachineError::BadHosts { list, problem } if given.contains(['/', '.']) => {
                    bad(&list, format!("{problem} (there is no file of this name)"))
                }
                other => other,
            });
        }
        match rankfold_base::files::read_text(path) {
            Ok(text) => Self::from_text(&text, given),
            Err(error) => Err(bad(given, format!("cannot read the file: {error}"))),
        }
    }

    /// Reads a list in one line, such as names separated by commas.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`].
    pub fn from_list(list: &str) -> Result<Self> {
        let entries = listed::read(list).map_err(|(_, problem)| bad(list, problem))?;
        Self::checked(list, false, entries)
    }

    /// Reads the text of a host file; `file` is its name for error messages.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`], naming file and line.
    pub fn from_text(text: &str, file: &str) -> Result<Self> {
        let entries = listed::read(text)
            .map_err(|(line, problem)| bad(&format!("{file}:{line}"), problem))?;
        Self::checked(file, true, entries)
    }

    /// The hosts in the order of the entries, including [`UNUSABLE`].
    #[must_use]
    pub fn hosts(&self) -> &[ListedHost] {
        &self.entries
    }

    /// The names in the order of the entries, including [`UNUSABLE`].
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    fn checked(given: &str, from_file: bool, entries: Vec<ListedHost>) -> Result<Self> {
        if entries.is_empty() {
            return Err(bad(given, "the list names no host"));
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
    pub(crate) fn fit(self, capacities: &[u32], names: Option<&[String]>) -> Result<FittedHosts> {
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
        let entries = self.entries.into_iter().zip(capacities);
        let fitted = entries.map(|(entry, &capacity)| {
            let slots = match entry.name.as_str() {
                UNUSABLE => 0,
                _ => entry.slots.unwrap_or(capacity),
            };
            (entry.name, slots)
        });
        let (names, slots) = fitted.unzip();
        Ok(FittedHosts {
            names,
            slots,
            listed: None,
            note: None,
        })
    }
}

/// Names and numbers of slots of all nodes.
pub(crate) struct FittedHosts {
    pub(crate) names: Vec<String>,
    pub(crate) slots: Vec<u32>,
    /// The nodes in the order of the list, where that is not node order.
    pub(crate) listed: Option<Vec<NodeId>>,
    /// What was assumed about names, for the user.
    pub(crate) note: Option<String>,
}

fn bad(list: &str, problem: impl Into<String>) -> MachineError {
    MachineError::BadHosts {
        list: list.into(),
        problem: problem.into(),
    }
}

#[cfg(test)]
mod tests;
