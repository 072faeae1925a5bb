//! `rankfold clean`: removes the files that ended runs have left.

use super::recover::known;
use crate::error::LaunchError;
use crate::traces::{self, Record, Traces};
use crate::{launchers, other_hosts};
use anyhow::Context;
use rankfold_console::terminal;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// `rankfold clean`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold clean                        whatever ended runs have left here\n  \
                  rankfold clean 4711-18a2f3            what this run has left, on all its hosts"
)]
pub(super) struct Args {
    /// The run, by name or by its directory .rankfold-...; without one, all that have ended, as far
    /// as this host can tell
    run: Option<String>,
    /// The launch, to reach its hosts, if it is not on record
    #[arg(last = true, value_name = "LAUNCH", requires = "run")]
    launch: Vec<OsString>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    match &args.run {
        Some(run) => one(args, run)?,
        None => all()?,
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
    println!("{} {here} journals on this host removed{hosts}", traces.run);
    Ok(())
}

/// Removes the files of all runs that have ended. Files that a process has mapped stay.
fn all() -> anyhow::Result<()> {
    for (directory, record) in traces::records(Path::new(".")) {
        let Record {
            traces,
            launch,
            directory: at,
            ..
        } = &record;
        if record.is_running() {
            println!("{} is running", traces.run);
            continue;
        }
        everywhere(traces, launch, at)?;
        fs::remove_dir_all(&directory)
            .with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    for directory in traces::abandoned(Path::new(".")) {
        fs::remove_dir_all(&directory)
            .with_context(|| format!("cannot remove {}", directory.display()))?;
        println!("{} removed", directory.display());
    }
    let journals = traces::journals();
    // A path is seen among the mappings without links.
    let journals = journals.canonicalize().unwrap_or(journals);
    let mapped = traces::mapped();
    for (run, _) in traces::runs(&journals) {
        let traces = Traces {
            run,
            journals: journals.clone(),
        };
        let files = traces.files().unwrap_or_default();
        if files.iter().any(|file| mapped.contains(file)) {
            println!("{} is running", traces.run);
        } else {
            everywhere(&traces, &[], Path::new("."))?;
        }
    }
    Ok(())
}
