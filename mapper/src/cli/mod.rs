//! The commands that need no launch, shared by `rankfold` and `rankfold-map`: one file a command.
//!
//! What clap parses stops here: every command turns its arguments into the plain types of this crate
//! before it does anything else. Results go to stdout or the files named, messages to stderr.

mod analyze;
mod convert;
mod eval;
pub mod explain;
mod heuristics;
mod import;
pub mod input;
mod machine;
mod map;
pub mod mapfile;
pub mod options;
pub mod output;
mod picture;
mod placed;
mod predicted;
pub mod report;
pub mod search;

use crate::error::Error;
use std::process::ExitCode;

/// A command that needs no launch.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Place ranks on a machine and write a mapfile
    Map(map::Args),
    /// Tell the communication pattern: kind, dimensions, stencil, confidence
    Analyze(analyze::Args),
    /// Compute every metric of one placement
    Eval(eval::Args),
    /// Describe a machine, or import one
    Machine(machine::Args),
    /// Write a mapfile in another launcher's syntax
    Mapfile(mapfile::Args),
    /// Write communication in another format
    Convert(convert::Args),
    /// List the heuristics, the refinements and the mapfile formats
    Heuristics,
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Error`] for bad input; anything else is ours.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Map(args) => map::run(&args),
            Self::Analyze(args) => analyze::run(&args),
            Self::Eval(args) => eval::run(&args),
            Self::Machine(args) => machine::run(&args),
            Self::Mapfile(args) => mapfile::run(&args),
            Self::Convert(args) => convert::run(&args),
            Self::Heuristics => heuristics::run(),
        }
    }
}

/// Tells the user what went wrong: status 2 for bad input, 1 for anything else of ours.
#[must_use]
pub fn failed(error: &anyhow::Error) -> ExitCode {
    // Nobody reads our output any more (`rankfold map ... | head`): that is no failure of ours.
    if let Some(io) = error.downcast_ref::<std::io::Error>()
        && io.kind() == std::io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        // Its text already tells the cause.
        eprintln!("rankfold: {error}");
        return ExitCode::from(2);
    }
    eprintln!("rankfold: {error:#}");
    ExitCode::FAILURE
}
