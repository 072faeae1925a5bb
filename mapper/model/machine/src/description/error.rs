//! Errors of machines.

use rankfold_base::words::counted;

/// What a description of a machine tells, or the error in it.
pub(crate) type Result<T, E = MachineError> = std::result::Result<T, E>;

/// An error in the description of a machine. Messages name the flag or the file.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The value of `--machine` is no machine file, and names no known family.
    #[error(
        "--machine {spec}: no machine file and no known family{meant}; all: rankfold help machines"
    )]
    UnknownFamily {
        /// The whole spec.
        spec: String,
        /// A suggestion, ", did you mean NAME?", or the names of all families.
        meant: String,
    },
    /// The family is known, but its parameters are wrong.
    #[error("--machine {spec}: {problem} (expected {grammar})")]
    BadSpec {
        /// The whole spec.
        spec: String,
        /// What is wrong, and how to correct it.
        problem: String,
        /// The grammar of the family.
        grammar: &'static str,
    },
    /// A machine file is wrong.
    #[error("--machine {file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
    BadFile {
        /// The file.
        file: String,
        /// The line, counted from 1, if it is known.
        line: Option<usize>,
        /// What is wrong, and how to correct it.
        problem: String,
    },
    /// The host list is wrong, or does not fit the machine.
    #[error("--hosts {list}: {problem}")]
    BadHosts {
        /// The value of `--hosts`, or file and line.
        list: String,
        /// What is wrong, and how to correct it.
        problem: String,
    },
    /// The machine has more slots than are supported.
    #[error("{slots} slots on {machine} are more than the {most} supported: lower --cores")]
    TooManySlots {
        /// The number of slots asked for.
        slots: u64,
        /// The largest number that is supported.
        most: u64,
        /// The spec of the machine.
        machine: String,
    },
    /// There are more ranks than slots.
    #[error(
        "{} do not fit {} ({machine}): choose a larger machine or raise --cores",
        counted(*ranks, "rank"),
        counted(*slots, "slot")
    )]
    TooFewSlots {
        /// The number of ranks.
        ranks: usize,
        /// The number of slots of the machine.
        slots: usize,
        /// The spec of the machine.
        machine: String,
    },
}

impl MachineError {
    /// What is wrong with a machine file as a whole.
    pub fn of_file(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::BadFile {
            file: file.into(),
            line: None,
            problem: problem.into(),
        }
    }
}
