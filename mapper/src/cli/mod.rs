//! The commands that need no launch, shared by `rankfold` and `rankfold-map`: one file a command.
//!
//! The types of clap stop here: every command turns its arguments into the plain types of this
//! crate before it does anything else. Results go to stdout or to files named by the user, messages
//! to stderr.

pub mod analyze;
mod assumed;
mod check;
pub mod columns;
pub mod command_line;
mod completions;
pub mod constraints;
mod convert;
pub mod eval;
mod examples;
mod exchange;
pub mod explain;
mod generate;
pub mod heat;
mod help;
mod heuristics;
mod import;
pub mod input;
pub mod launched;
pub mod machine;
mod man;
mod map;
pub mod mapfile;
mod memory;
pub mod metrics_table;
pub mod named;
mod named_values;
pub mod options;
mod other_hosts;
mod parts;
mod picture;
mod predicted;
mod rank_list;
pub mod report;
pub mod report_command;
pub mod schema;
pub mod search;
pub mod search_key;
mod tasks;
mod verdict;
mod waiting;
mod weights;
pub mod write_mapfile;

use crate::document;
use crate::error::Error;
use crate::parallel::ReportedElsewhere;
use rankfold_console::output::OutputError;
use rankfold_console::{output, progress, terminal};
use std::process::ExitCode;

/// The commands that need no launch.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Place ranks on a machine and write a mapfile
    Map(Box<map::Args>),
    /// Find the communication pattern: kind, dimensions, stencil, confidence
    Analyze(analyze::Args),
    /// Compute every metric of one placement
    Eval(eval::Args),
    /// Verify a certificate of map --certificate in exact arithmetic
    Check(check::Args),
    /// Draw communication, machine and placements in one HTML file
    Report(Box<report_command::Args>),
    /// Describe a machine, or import one
    Machine(machine::Args),
    /// Write a mapfile in another launcher's syntax
    Mapfile(mapfile::Args),
    /// Write communication in another format
    Convert(convert::Args),
    /// Write the communication of a well-known program, by formula
    Generate(generate::Args),
    /// List the heuristics, the refinements and the mapfile formats
    Heuristics,
    /// Print the JSON schema of what a command writes with --json
    Schema(schema::Args),
    /// Explain a command or a topic in full
    Help(help::Args),
    /// Print the script that lets a shell complete commands and options
    Completions(completions::Args),
    /// Write the manual pages
    #[command(hide = true)]
    Man(man::Args),
}

impl Command {
    /// Runs the command. `whole` builds the definition of the whole command line, for help and
    /// manual pages. `documents` are the JSON documents of the caller's own commands.
    ///
    /// # Errors
    /// [`Error`] for bad input; any other error is not the user's fault.
    pub fn run(
        self,
        whole: fn() -> clap::Command,
        documents: &[document::DocumentKind],
    ) -> anyhow::Result<()> {
        let all_documents = [schema::DOCUMENTS, documents];
        match self {
            Self::Map(args) => map::run(&args),
            Self::Analyze(args) => analyze::run(&args),
            Self::Eval(args) => eval::run(&args),
            Self::Check(args) => check::run(&args),
            Self::Report(args) => report_command::run(&args),
            Self::Machine(args) => machine::run(&args),
            Self::Mapfile(args) => mapfile::run(&args),
            Self::Convert(args) => convert::run(&args),
            Self::Generate(args) => generate::run(&args),
            Self::Heuristics => heuristics::run(),
            Self::Schema(args) => schema::run(&args, &all_documents),
            Self::Help(args) => help::run(&args, whole()),
            Self::Completions(args) => completions::run(&args, whole(), &all_documents),
            Self::Man(args) => man::run(&args, whole()),
        }
    }
}

/// Prints an error and returns the exit status: 2 for bad input, 1 for anything else.
#[must_use]
pub fn failed(error: &anyhow::Error) -> ExitCode {
    // The reader of our output has ended (`rankfold map ... | head`): this is no failure.
    if let Some(io) = error.downcast_ref::<std::io::Error>()
        && io.kind() == std::io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    if error.is::<ReportedElsewhere>() {
        // The first process reports the error and ends with its status. If this process ended with
        // a status, too, a launcher might kill the first one before it has printed its message.
        return ExitCode::SUCCESS;
    }
    // The messages of these types already hold their causes.
    let bad_input = (error.downcast_ref::<Error>().map(ToString::to_string))
        .or_else(|| error.downcast_ref::<OutputError>().map(ToString::to_string));
    if let Some(message) = bad_input {
        terminal::error(message);
        return ExitCode::from(2);
    }
    terminal::error(format_args!("{error:#}"));
    ExitCode::FAILURE
}
