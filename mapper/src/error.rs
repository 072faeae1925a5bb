//! Everything that can be wrong with what the user gave us: exit status 2.

use std::path::PathBuf;

/// Bad input of any kind. Every message names the file and line, or the flag, to change.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The communication graph.
    #[error(transparent)]
    Comm(#[from] rankfold_model::comm::CommError),
    /// The machine.
    #[error(transparent)]
    Machine(#[from] rankfold_model::machine::MachineError),
    /// What a machine is imported from.
    #[error(transparent)]
    Import(#[from] rankfold_model::machine::import::ImportError),
    /// The mapfile.
    #[error(transparent)]
    Mapfile(#[from] rankfold_model::mapfile::MapfileError),
    /// The search.
    #[error(transparent)]
    Select(#[from] rankfold_search::select::SelectError),
    /// A flag asks for something we do not know.
    #[error("{flag} {value}: {problem}")]
    Flag {
        /// The flag as typed.
        flag: &'static str,
        /// Its value.
        value: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The processes of `--mpi` do not fit together.
    #[error("--mpi: {0}")]
    Processes(String),
    /// Two results are to go to one file.
    #[error("{path} is named for two results: give each its own file")]
    SameFile {
        /// The file named twice.
        path: PathBuf,
    },
    /// A result cannot be written.
    #[error("cannot write {path}: {source}; choose another place")]
    Unwritable {
        /// The file named on the command line.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
