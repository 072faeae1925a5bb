//! `rankfold recover`: makes the profile of a run whose `rankfold` process ended before the run.

use super::partial_profile::recovered;
use super::profile::tell;
use crate::harvest::{self, Gathered};
use crate::traces::{self, Record, Traces};
use rankfold_console::{
    outln, output,
    terminal::{self, INDENT, command_line, folded},
};
use rankfold_graph::CommError;
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::quoted;
use rankfold_launch::launchers;
use rankfold_launch::placement::unplanned;
use rankfold_mapper::error::Error;
use rankfold_wire::{Outcome, ProfileError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `rankfold recover`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold recover                      what has been left here, by name\n  \
                  rankfold recover 4711-18a2f3          its profile, collected from all hosts by its own launcher\n  \
                  rankfold recover 4711-18a2f3 -o a.rfp -- mpirun --hostfile hosts ./app   where no record of the launch is left\n  \
                  rankfold recover journals/            the journals of NCCL's plugin in a directory that all hosts share\n  \
                  rankfold clean 4711-18a2f3            removes what it has left"
)]
pub(super) struct Args {
    /// The run, by name, by its directory .rankfold-..., or by a directory of journals of NCCL's
    /// plugin; without one, all runs that have left something are listed
    run: Option<String>,
    /// Where to write the profile [default: where the run was to write it, or RUN.rfp]
    #[arg(short, long, value_name = "FILE", requires = "run")]
    output: Option<PathBuf>,
    /// The launch, to reach its hosts, if it is not on record
    #[arg(last = true, value_name = "LAUNCH", requires = "run")]
    launch: Vec<OsString>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    match &args.run {
        Some(run) => recover(args, run).map(|()| 0),
        None => {
            list();
            Ok(0)
        }
    }
}

/// Lists the runs that have left files in this directory or on this host.
fn list() {
    let records = traces::records(Path::new("."));
    let journals = traces::journals();
    let mut lines = Vec::new();
    for (directory, record) in &records {
        let state = if record.is_running() {
            "running"
        } else if written(directory).is_file() {
            "profile finished"
        } else {
            "ended"
        };
        let files = record.traces.files().map_or(0, |files| files.len());
        let launch = command_line(&quoted(&record.launch));
        lines.push(format!(
            "{} {state}, {files} journals on this host: {launch}",
            record.traces.run
        ));
    }
    for (run, files) in traces::runs(&journals) {
        if records.iter().all(|(_, record)| record.traces.run != run) {
            lines.push(format!(
                "{run} {files} journals in {} on this host, no record here",
                journals.display()
            ));
        }
    }
    if lines.is_empty() {
        terminal::note("no run has left anything here");
    }
    lines
        .iter()
        .for_each(|line| outln!("{}", folded(line, INDENT)));
}

/// The file into which rank 0 writes the profile, in the hidden directory of a run.
pub(super) fn written(directory: &Path) -> PathBuf {
    directory.join(crate::session::PROFILE)
}

/// Makes the profile of one run.
fn recover(args: &Args, run: &str) -> anyhow::Result<()> {
    let (directory, record) = traces::find(run).unzip();
    let traces = known(record.as_ref(), run)?;
    let output = args
        .output
        .clone()
        .or_else(|| record.as_ref().map(|record| record.output.clone()))
        .unwrap_or_else(|| format!("{}.rfp", traces.run).into());
    output::check(&output)?;
    let (words, at) = match (&args.launch[..], &record) {
        ([], Some(record)) => (record.launch.clone(), record.directory.clone()),
        (given, _) => (given.to_vec(), PathBuf::from(".")),
    };
    let launch = match &words[..] {
        [] => None,
        words => Some(launchers::understand(words)?),
    };
    let scratch = tempfile::tempdir()?;
    let asked = |error: anyhow::Error| match error.downcast::<ProfileError>() {
        // Damaged journals are the user's input here.
        Ok(error) => Error::from(CommError::from(error)).into(),
        Err(error) => error,
    };
    let written = directory.map_or_else(PathBuf::new, |directory| written(&directory));
    let Gathered {
        harvest, trouble, ..
    } = harvest::gather(
        &traces,
        &written,
        launch.as_ref().map(|launch| (launch, &*at)),
        scratch.path(),
    )
    .map_err(asked)?;
    if let Some(trouble) = trouble {
        terminal::warning(format_args!("not all hosts were reached: {trouble}"));
    }
    let mut harvest = harvest.ok_or_else(|| LaunchError::NothingLeft {
        run: traces.run.clone(),
    })?;
    harvest.profile.verification = unplanned(&harvest.profile);
    let saved = harvest.profile.write(&output);
    saved.map_err(|error| Error::from(CommError::from(error)))?;
    let outcome = &harvest.profile.manifest.outcome;
    if !harvest.finished && *outcome != Outcome::Finalized {
        terminal::warning(recovered(&harvest.profile, harvest.finalized));
    }
    tell(&harvest.profile, &output);
    terminal::note(format_args!(
        "rankfold clean {} removes what it has left",
        traces.run
    ));
    Ok(())
}

/// The traces of a run: by its record, by a directory of journals that processes with NCCL have
/// left, or else by its name, with the usual directory of journals.
pub(super) fn known(record: Option<&Record>, run: &str) -> Result<Traces, LaunchError> {
    if let Some(record) = record {
        return Ok(record.traces.clone());
    }
    if Path::new(run).is_dir() {
        return traces::in_directory(Path::new(run));
    }
    let clean = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if run.is_empty() || !run.chars().all(clean) {
        return Err(LaunchError::NothingLeft { run: run.into() });
    }
    Ok(Traces {
        run: run.into(),
        journals: traces::journals(),
    })
}
