//! The errors of a launch, other than those of the user's program itself.

use crate::config::ConfigError;
use rankfold_console::output::OutputError;
use rankfold_mapper::error::Error;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// What is told by the user's input, or the error in it.
pub type Result<T, E = LaunchError> = std::result::Result<T, E>;

/// An error in the user's input, which ends with exit status 2. Every message says what to change.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages tell what the parts are")]
pub enum LaunchError {
    #[error(
        "cannot start {program}: {source}; give a launcher that exists after --, by name or path"
    )]
    NotStarted {
        program: String,
        source: std::io::Error,
    },
    #[error(
        "{program} is no launcher known here ({found})\nrankfold doctor lists those of this system; for any other: \"Without our launcher\" in profiler/README.md"
    )]
    UnknownLauncher { program: String, found: String },
    #[error("{program}: there is no such command{meant}")]
    NoSuchCommand {
        program: String,
        /// Empty, or a suggestion: ", did you mean mpirun?".
        meant: String,
    },
    #[error("the launch is one word; without its quotes: {command}")]
    Quoted { command: String },
    #[error(
        "rankfold cannot add its options to a launch by {launcher} yet\nto profile, set LD_PRELOAD and RANKFOLD_PROFILE yourself: \"Without our launcher\" in profiler/README.md\nto place, write a mapfile with rankfold map --to, or renumber: profiler/world/README.md"
    )]
    ByHand { launcher: String },
    #[error(
        "{option} is no option of {launcher} known here, so where the program starts is unclear: put it behind the program, or leave it out"
    )]
    UnknownOption {
        option: String,
        launcher: &'static str,
    },
    #[error("{option}: {problem}")]
    Option { option: String, problem: String },
    #[error("no program to run in \"{command}\": give one after the launcher's options")]
    NoProgram { command: String },
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    #[error(
        "{map} places {placed} ranks, the launch starts {ranks}: change {option} or map a profile of {ranks} ranks"
    )]
    WrongRanks {
        map: String,
        placed: usize,
        ranks: usize,
        option: String,
    },
    #[error(
        "librankfold.so, a part of rankfold, was not found: {}\ninstall it whole (scripts/install in its sources, or its package again), or set RANKFOLD_LIBRARY to it",
        searched.join(", ")
    )]
    NoLibrary { searched: Vec<String> },
    #[error(
        "{world}, a part of rankfold that renumbers ranks, was not found\ninstall rankfold whole (scripts/install in its sources, or its package again), or give --how native"
    )]
    NoWorld { world: PathBuf },
    #[error(
        "{program} is linked with musl, whose loader cannot load librankfold.so, which is built for glibc"
    )]
    Musl { program: String },
    #[error("--how renumber: {0}")]
    NoPlan(#[from] rankfold_wire::plan::InvalidPlan),
    #[error(
        "{library}: the system's loader takes a space or a colon in LD_PRELOAD for the end of a path; install rankfold where the path has none, or set RANKFOLD_LIBRARY to a copy of librankfold.so or a link to it elsewhere"
    )]
    Unloadable { library: PathBuf },
    #[error(
        "{run}: no such run has left anything in this directory or on this host; rankfold recover lists those that have, and a launch after -- names other hosts to look at"
    )]
    NothingLeft { run: String },
    #[error("{directory}: {problem}")]
    Journals { directory: PathBuf, problem: String },
    #[error("{name}: nothing is remembered under this name; rankfold cache list tells the names")]
    NotRemembered { name: String },
    #[error("{name}: several begin so: {names}")]
    SeveralRemembered { name: String, names: String },
    #[error("{run} is running (process {pid}): end it first, or wait")]
    Running { run: String, pid: u32 },
    #[error(
        "cannot create a directory in {directory} for the files of the ranks: {source}; start in a directory that you can write to and that all nodes share"
    )]
    NoScratch {
        directory: PathBuf,
        source: std::io::Error,
    },
}

impl LaunchError {
    /// What is wrong with an option.
    pub(crate) fn option(option: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Option {
            option: option.into(),
            problem: problem.into(),
        }
    }

    /// Whether the launch names no command at all, so that nothing can run.
    pub fn is_of_no_command(&self) -> bool {
        matches!(self, Self::NoSuchCommand { .. } | Self::Quoted { .. })
    }

    /// Whether the words of the user are wrong, and not the place where rankfold runs or is
    /// installed.
    fn is_in_words(&self) -> bool {
        !matches!(
            self,
            Self::NoLibrary { .. }
                | Self::NoWorld { .. }
                | Self::Unloadable { .. }
                | Self::Musl { .. }
                | Self::NoScratch { .. }
        )
    }
}

/// Whether the words that the user typed are wrong. Any other error is trouble of rankfold, in
/// spite of which the program runs.
pub fn is_in_words(error: &anyhow::Error) -> bool {
    let system = |error: &io::Error| is_of_system(error);
    if error
        .chain()
        .filter_map(|cause| cause.downcast_ref())
        .any(system)
    {
        return false;
    }
    error.downcast_ref().is_some_and(LaunchError::is_in_words)
        || error.is::<Error>()
        || error.is::<OutputError>()
}

/// Whether the system is the cause of an error, and not a path that names nothing.
pub fn is_of_system(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::AlreadyExists
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidData
    )
}
