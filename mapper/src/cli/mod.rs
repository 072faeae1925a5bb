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
pub mod weights;
pub mod write_mapfile;

use crate::document;
use crate::error::Error;
use crate::parallel::ReportedElsewhere;
use rankfold_console::output::OutputError;
use rankfold_console::{output, progress, terminal};
use std::path::Path;
use std::process::ExitCode;
use strsim::osa_distance;

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
        return refused(message);
    }
    terminal::error(format_args!("{error:#}"));
    ExitCode::FAILURE
}

/// Prints bad input, with the name of a file that may be meant, and returns the exit status.
#[must_use]
pub fn refused(message: String) -> ExitCode {
    // Every option that takes a file is covered by looking for its name in the message.
    let is_missing = ["(os error 2)", "no machine file", "no file of this name"]
        .iter()
        .any(|cause| message.contains(cause));
    let words = std::env::args().skip(1).take_while(|word| word != "--");
    let files = words.map(|word| match word.split_once('=') {
        Some((option, file)) if option.starts_with("--") => file.to_owned(),
        _ => word,
    });
    let mut named = files.filter(|file| !file.is_empty() && message.contains(&**file));
    match named.find_map(|file| meant(Path::new(&file))) {
        Some(meant) if is_missing => {
            // Who means a file needs no list of families.
            let cause = message.split("; known are").next().unwrap_or_default();
            terminal::error(format!("{cause}\n{meant}"));
        }
        _ => terminal::error(message),
    }
    ExitCode::from(2)
}

/// What a path is that names no file, or which file it may mean.
fn meant(path: &Path) -> Option<String> {
    if path.is_dir() {
        return Some(format!("{} is a directory: name a file", path.display()));
    }
    let similar = similar_file(path).map(|file| format!("did you mean {file}?"));
    similar.or_else(|| writer_of(path))
}

/// The command that writes a file with the ending of a path that is not there.
fn writer_of(path: &Path) -> Option<String> {
    let file = path.display();
    match path.extension()?.to_str()? {
        _ if path.exists() => None,
        "rfp" => Some(format!(
            "a profile is written by: rankfold profile -o {file} -- mpirun ..."
        )),
        "map" => Some(format!(
            "a mapfile is written by: rankfold map PROFILE --machine ... -o {file}"
        )),
        _ => None,
    }
}

/// The file beside a path of nothing whose name differs by one slip: a letter that is wrong,
/// missing, too many, or in the place of its neighbour, or an ending that is left out.
fn similar_file(path: &Path) -> Option<String> {
    let typed = path.file_name()?.to_str()?;
    let directory = path.parent()?;
    let listed = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let is_similar = |name: &String| {
        let ending = name.strip_prefix(typed);
        osa_distance(typed, name) == 1 || ending.is_some_and(|ending| ending.starts_with('.'))
    };
    if path.exists() {
        return None;
    }
    let names = listed.read_dir().ok()?.flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let nearest = names.filter(is_similar).min()?;
    Some(directory.join(nearest).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_whose_name_differs_by_one_slip_is_meant() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("app.rfp"), "").unwrap();
        let meant = Some(path("app.rfp").display().to_string());
        for typed in ["app.rpf", "ap.rfp", "app.rfpp", "apq.rfp", "app"] {
            assert_eq!(similar_file(&path(typed)), meant, "{typed}");
        }
        for typed in ["app.rfp", "other", "app.map", "none/app.rpf"] {
            assert_eq!(similar_file(&path(typed)), None, "{typed}");
        }
    }
}
