//! The commands that need no launch, shared by `rankfold` and `rankfold-map`: one file a command.
//!
//! What clap parses stops here: every command turns its arguments into the plain types of this
//! crate before it does anything else. Results go to stdout or the files named, messages to stderr.

mod analyze;
mod completions;
mod convert;
mod eval;
pub mod explain;
pub mod heat;
mod help;
mod heuristics;
mod import;
pub mod input;
pub mod machine;
mod man;
mod map;
pub mod mapfile;
pub mod options;
pub mod output;
mod picture;
mod placed;
mod predicted;
pub mod program;
pub mod progress;
pub mod report;
pub mod report_command;
pub mod search;
pub mod terminal;
mod verdict;

use crate::error::Error;
use crate::parallel::ToldElsewhere;
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
    /// Draw communication, machine and placements in one HTML file
    Report(Box<report_command::Args>),
    /// Describe a machine, or import one
    Machine(machine::Args),
    /// Write a mapfile in another launcher's syntax
    Mapfile(mapfile::Args),
    /// Write communication in another format
    Convert(convert::Args),
    /// List the heuristics, the refinements and the mapfile formats
    Heuristics,
    /// Tell all of a command or a topic
    Help(help::Args),
    /// Print what a shell needs to complete commands and options
    Completions(completions::Args),
    /// Write the manual pages
    #[command(hide = true)]
    Man(man::Args),
}

impl Command {
    /// Runs the command; `whole` is the command line it is one of.
    ///
    /// # Errors
    /// [`Error`] for bad input; anything else is ours.
    pub fn run(self, whole: fn() -> clap::Command) -> anyhow::Result<()> {
        match self {
            Self::Map(args) => map::run(&args),
            Self::Analyze(args) => analyze::run(&args),
            Self::Eval(args) => eval::run(&args),
            Self::Report(args) => report_command::run(&args),
            Self::Machine(args) => machine::run(&args),
            Self::Mapfile(args) => mapfile::run(&args),
            Self::Convert(args) => convert::run(&args),
            Self::Heuristics => heuristics::run(),
            Self::Help(args) => help::run(&args, whole()),
            Self::Completions(args) => completions::run(&args, whole()),
            Self::Man(args) => man::run(&args, whole()),
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
    if error.is::<ToldElsewhere>() {
        // The first process ends with the status. A launcher that sees another one's may end the
        // first before it has told.
        return ExitCode::SUCCESS;
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        // Its text already tells the cause.
        terminal::error(error);
        return ExitCode::from(2);
    }
    terminal::error(format_args!("{error:#}"));
    ExitCode::FAILURE
}
