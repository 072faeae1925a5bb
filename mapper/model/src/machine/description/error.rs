//! What can be wrong with a machine.

use crate::words::counted;

/// What can be wrong with a machine description.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The family is not one we know.
    #[error(
        "--machine {spec}: no machine file and no known family{meant}; known specs are {known}"
    )]
    UnknownFamily {
        /// The whole spec.
        spec: String,
        /// ", did you mean NAME?", or nothing.
        meant: String,
        /// Grammar of every family.
        known: String,
    },
    /// The family is known, its parameters are not right.
    #[error("--machine {spec}: {problem} (expected {grammar})")]
    BadSpec {
        /// The whole spec.
        spec: String,
        /// What is wrong, and what to do.
        problem: String,
        /// The family's grammar.
        grammar: &'static str,
    },
    /// A machine file is not right.
    #[error("--machine {file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
    BadFile {
        /// The file.
        file: String,
        /// Counted from 1, if it is known.
        line: Option<usize>,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Host list and machine do not fit.
    #[error("--hosts {list}: {problem}")]
    BadHosts {
        /// The list as given.
        list: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// More slots than are worth a table.
    #[error("{slots} slots on {machine} are more than the {most} supported: lower --cores")]
    TooManySlots {
        /// Slots asked for.
        slots: u64,
        /// The most there may be.
        most: u64,
        /// The machine's spec.
        machine: String,
    },
    /// More ranks than slots.
    #[error(
        "{} do not fit {} ({machine}): choose a larger machine or raise --cores",
        counted(*ranks, "rank"),
        counted(*slots, "slot")
    )]
    TooFewSlots {
        /// World size.
        ranks: usize,
        /// Slots of the machine.
        slots: usize,
        /// Its spec.
        machine: String,
    },
}
