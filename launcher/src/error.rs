//! What can be wrong with a launch, apart from a program that fails by itself.

use std::path::PathBuf;
use std::process::ExitCode;

/// Bad input of a launch: exit status 2. Every message says what to change.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error(
        "cannot start {program}: {source}; give a launcher that exists after --, by name or path"
    )]
    NotStarted {
        program: String,
        source: std::io::Error,
    },
    #[error(
        "{program} is no launcher known here ({found}); supported are {}",
        supported.join(", ")
    )]
    UnknownLauncher {
        program: String,
        found: String,
        supported: Vec<&'static str>,
    },
    #[error(
        "{option} is no option of {launcher} known here, so where the program starts is unclear: put it behind, or leave it out"
    )]
    UnknownOption {
        option: String,
        launcher: &'static str,
    },
    #[error("{option}: {problem}")]
    Option { option: String, problem: String },
    #[error("no program to run in \"{command}\": give one after the launcher's options")]
    NoProgram { command: String },
    #[error(
        "{map} places {placed} ranks, the launch starts {ranks}: change {option} or map a profile of {ranks} ranks"
    )]
    WrongRanks {
        map: String,
        placed: usize,
        ranks: usize,
        option: String,
    },
    #[error("librankfold.so was not found ({}): build it with cargo build -p rankfold-profiler, or set RANKFOLD_LIBRARY to its path", searched.join(", "))]
    NoLibrary { searched: Vec<String> },
    #[error(
        "journal directory {directory}: {problem}; free space there or set RANKFOLD_JOURNALS to another directory"
    )]
    Journals { directory: PathBuf, problem: String },
    #[error(
        "cannot create a directory in {directory} for what the ranks tell: {source}; start in a directory you can write, shared by all nodes"
    )]
    NoScratch {
        directory: PathBuf,
        source: std::io::Error,
    },
    #[error("no profile was written: {0}")]
    NoProfile(String),
    #[error("placement not verified: {0}")]
    NotVerified(String),
    #[error(
        "--machine or --map: say where the ranks go, with a mapfile or with the machine to map onto"
    )]
    NoPlacement,
}

/// Tells the user what went wrong: status 2 for bad input, 1 for anything else of ours.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<LaunchError>() {
        Some(error) => {
            eprintln!("rankfold: {error}");
            ExitCode::from(2)
        }
        None => rankfold_mapper::cli::failed(error),
    }
}
