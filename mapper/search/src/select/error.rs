//! The errors of a selection.

use rankfold_machine::MachineError;
use rankfold_problem::heuristic::NotApplicable;
use rankfold_problem::member_options::OptionError;

/// The request cannot be carried out. Messages name the command-line option to change.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// The ranks do not fit the machine.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// No placement of whole hosts keeps all constraints.
    #[error(transparent)]
    Infeasible(#[from] rankfold_assess::Infeasible),
    /// No heuristic has this name.
    #[error("--heuristic {name}: no such heuristic; known are auto, {known}")]
    UnknownHeuristic {
        /// The name asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// The heuristic asked for does not take the option behind its name.
    #[error("--heuristic {name}: {reason}")]
    Option {
        /// Name of the heuristic.
        name: &'static str,
        /// What is wrong with the option.
        reason: OptionError,
    },
    /// The heuristic asked for takes no number of loops.
    #[error("--loops: only for --heuristic with one of {known}")]
    NoLoops {
        /// The heuristics that take one and what they repeat, separated by commas.
        known: String,
    },
    /// Processes that search together would each end their search at another point.
    #[error("--time: several processes search by a fixed amount of work only; --effort sets it")]
    TimeApart,
    /// The heuristic asked for cannot place these ranks on this machine.
    #[error(
        "--heuristic {name}: not applicable here: {reason}; --heuristic auto picks one that is"
    )]
    NotApplicable {
        /// Name of the heuristic.
        name: &'static str,
        /// What is missing.
        reason: NotApplicable,
    },
}
