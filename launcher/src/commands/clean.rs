//! `rankfold clean`: removes the files that ended runs have left.

use super::recover::{known, written};
use crate::other_hosts;
use crate::traces::{self, Record, Traces};
use anyhow::Context;
use rankfold_base::words::counted;
use rankfold_console::{
    outln,
    terminal::{self, INDENT, command_line, folded},
};
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::quoted;
use rankfold_launch::launchers;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// `rankfold clean`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold clean --dry-run              what ended runs have left here, and what can be recovered of it\n  \
                  rankfold clean                        the same, and removes it all once you agree\n  \
                  rankfold clean 4711-18a2f3            removes what this run has left, on all its hosts"
)]
pub(super) struct Args {
    /// The run, by name or by its directory .rankfold-...; without one, all that have ended, as far
    /// as this host can tell
    run: Option<String>,
    /// Remove what all ended runs have left, and do not ask
    #[arg(long, short, conflicts_with = "run")]
    yes: bool,
    /// List what would be removed, and remove nothing
    #[arg(long, conflicts_with_all = ["run", "yes"])]
    dry_run: bool,
    /// The launch, to reach its hosts, if it is not on record
    #[arg(last = true, value_name = "LAUNCH", requires = "run")]
    launch: Vec<OsString>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    match &args.run {
        Some(run) => one(args, run)?,
        None => all(args)?,
    }
    Ok(0)
}

/// Removes the files of one run.
fn one(args: &Args, run: &str) -> anyhow::Result<()> {
    let found = traces::find(run);
    let record = found.as_ref().map(|(_, record)| record);
    let traces = known(record, run)?;
    if let Some(record) = record.filter(|record| record.is_running()) {
        return Err(LaunchError::Running {
            run: traces.run,
            pid: record.owner.pid,
        }
        .into());
    }
    let here = Path::new(".");
    let (launch, at) = match (&args.launch[..], record) {
        ([], Some(record)) => (&record.launch[..], &*record.directory),
        (given, _) => (given, here),
    };
    if found.is_none() && launch.is_empty() && traces.files().is_ok_and(|files| files.is_empty()) {
        return Err(LaunchError::NothingLeft { run: traces.run }.into());
    }
    everywhere(&traces, launch, at)?;
    if let Some((directory, _)) = &found {
        fs::remove_dir_all(directory)
            .with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    Ok(())
}

/// Removes the files of a run from this host and those of its launch.
fn everywhere(traces: &Traces, words: &[OsString], at: &Path) -> anyhow::Result<()> {
    let here = traces.sweep();
    let mut hosts = String::new();
    if !words.is_empty() {
        let launch = launchers::understand(words)?;
        if other_hosts::leaves_this_host(&launch) {
            let scratch = tempfile::tempdir()?;
            let outcome = other_hosts::remove(&launch, traces, at, scratch.path())?;
            if let Some(trouble) = outcome.trouble {
                terminal::warning(format_args!("not all hosts were reached: {trouble}"));
            }
            hosts = format!(", and all on {}", outcome.hosts.join(", "));
        }
    }
    outln!("{} {here} journals on this host removed{hosts}", traces.run);
    Ok(())
}

/// What one ended run has left.
enum Left {
    /// The files of a run with a record in a hidden directory.
    Run(PathBuf, Record),
    /// A hidden directory without a record.
    Directory(PathBuf),
    /// Journals on this host of a run without a record here.
    Journals(Traces),
}

impl Left {
    /// One line for the user: what it is, and whether it can be recovered.
    fn line(&self) -> String {
        let (traces, launch, written) = match self {
            Self::Directory(path) => {
                return format!("{}: nothing of it can be recovered", path.display());
            }
            Self::Run(directory, record) => {
                let launch = command_line(&quoted(&record.launch));
                (&record.traces, launch, written(directory).is_file())
            }
            Self::Journals(traces) => (traces, "no record here".into(), false),
        };
        let (run, files) = (&traces.run, traces.files().map_or(0, |files| files.len()));
        let recovered = if files > 0 || written {
            format!("rankfold recover {run} makes its profile")
        } else {
            "nothing of it can be recovered here".into()
        };
        let files = counted(files, "journal");
        format!("{run}: {files} on this host, {launch}; {recovered}")
    }

    fn remove(&self) -> anyhow::Result<()> {
        let directory = match self {
            Self::Journals(traces) => return everywhere(traces, &[], Path::new(".")),
            Self::Directory(directory) => directory,
            Self::Run(directory, record) => {
                everywhere(&record.traces, &record.launch, &record.directory)?;
                directory
            }
        };
        fs::remove_dir_all(directory)
            .with_context(|| format!("cannot remove {}", directory.display()))?;
        outln!("{} removed", directory.display());
        Ok(())
    }
}

/// Lists what all ended runs have left, and removes it if the user wants that.
fn all(args: &Args) -> anyhow::Result<()> {
    let left = left();
    if left.is_empty() {
        terminal::note("no ended run has left anything here");
        return Ok(());
    }
    if !args.yes {
        left.iter()
            .for_each(|left| outln!("{}", folded(&left.line(), INDENT)));
    }
    if args.dry_run {
        return Ok(());
    }
    if !args.yes && !agreed(left.len())? {
        terminal::note("nothing is removed");
        return Ok(());
    }
    left.iter().try_for_each(Left::remove)
}

/// Asks the user, who may have no terminal to answer on.
fn agreed(number: usize) -> anyhow::Result<bool> {
    let what = counted(number, "run");
    terminal::warning(format_args!(
        "remove what {what} left? Type yes, or start it again with --yes"
    ));
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .context("the answer")?;
    Ok(["y", "yes"].contains(&answer.trim()))
}

/// What runs have left that have ended. Files that a process has mapped are those of running ones.
fn left() -> Vec<Left> {
    let here = Path::new(".");
    let running = |run: &str| outln!("{run} is running");
    let mut left = Vec::new();
    for (directory, record) in traces::records(here) {
        if record.is_running() {
            running(&record.traces.run);
        } else {
            left.push(Left::Run(directory, record));
        }
    }
    left.extend(traces::abandoned(here).into_iter().map(Left::Directory));
    let journals = traces::journals();
    // A path is seen among the mappings without links.
    let journals = journals.canonicalize().unwrap_or(journals);
    let mapped = traces::mapped();
    let recorded = |left: &[Left], wanted: &Traces| {
        let is_of =
            |left: &Left| matches!(left, Left::Run(_, record) if record.traces.run == wanted.run);
        left.iter().any(is_of)
    };
    for (run, _) in traces::runs(&journals) {
        let traces = Traces {
            run,
            journals: journals.clone(),
        };
        let files = traces.files().unwrap_or_default();
        if files.iter().any(|file| mapped.contains(file)) {
            running(&traces.run);
        } else if !recorded(&left, &traces) {
            left.push(Left::Journals(traces));
        }
    }
    left
}
