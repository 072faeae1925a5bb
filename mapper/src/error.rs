//! Errors in the user's input. They end the process with exit status 2.

use std::path::PathBuf;

/// Bad input of any kind. Every message names the file and line, or the flag, to change.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The communication graph is not usable.
    #[error(transparent)]
    Comm(#[from] rankfold_graph::CommError),
    /// The machine is not usable.
    #[error(transparent)]
    Machine(#[from] rankfold_machine::MachineError),
    /// The files to import a machine from are not usable.
    #[error(transparent)]
    Import(#[from] rankfold_importers::ImportError),
    /// The mapfile is not usable.
    #[error(transparent)]
    Mapfile(#[from] rankfold_mapfile::MapfileError),
    /// The search refuses what it was asked for.
    #[error(transparent)]
    Select(#[from] rankfold_search::select::SelectError),
    /// There is no certificate.
    #[error("--certificate: {0}")]
    Uncertified(#[from] rankfold_certificate::Uncertified),
    /// A certificate is damaged or not true.
    #[error("{path} {refused}")]
    Certificate {
        /// The file named on the command line.
        path: PathBuf,
        /// The line, and what is wrong with it.
        refused: rankfold_certificate::Refused,
    },
    /// A flag has a value that is not usable.
    #[error("{flag} {value}: {problem}")]
    Flag {
        /// The flag as typed.
        flag: &'static str,
        /// The value as typed.
        value: String,
        /// What is wrong, and what to do about it.
        problem: String,
    },
    /// A constraint is not usable.
    #[error("{origin}: {problem}")]
    Constraint {
        /// The flag with its value, or the line of a file.
        origin: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No placement keeps all constraints.
    #[error(transparent)]
    Infeasible(#[from] rankfold_assess::Infeasible),
    /// The processes of `--mpi` cannot work together.
    #[error("--mpi: {0}")]
    Processes(String),
    /// A result cannot be written.
    #[error(transparent)]
    Output(#[from] rankfold_console::output::OutputError),
}
