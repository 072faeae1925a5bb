//! The profile of a run that has ended, from wherever it lies: written by rank 0 in our directory
//! or, where that is none of its host's, among the journals there; or still in the journals of all
//! hosts.

use crate::launch::Launch;
use crate::other_hosts;
use crate::traces::{Traces, is_profile};
use anyhow::Context;
use rankfold_profile::{Outcome, Profile};
use std::fs;
use std::path::Path;

/// What was found.
pub(crate) struct Harvest {
    pub(crate) profile: Profile,
    /// Whether rank 0 has made the profile, and not we of journals.
    pub(crate) finished: bool,
}

/// What of a run can be had.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) harvest: Option<Harvest>,
    /// What other hosts have left, whose run this is, is out of reach: why.
    pub(crate) trouble: Option<String>,
    /// Whether other hosts were asked.
    pub(crate) far: bool,
}

/// Finds the profile of a run in `written`, in the journals of this host, or on the hosts of
/// `launch`, which the user gave in the directory `at`. What comes from other hosts passes through
/// the directory `scratch`.
///
/// # Errors
/// A profile is there and cannot be read, or `scratch` not be written.
pub(crate) fn gather(
    traces: &Traces,
    written: &Path,
    launch: Option<(&Launch, &Path)>,
    scratch: &Path,
) -> anyhow::Result<Gathered> {
    if let Some(harvest) = finished(written)? {
        return Ok(near(harvest));
    }
    if let Some(harvest) = from(traces)?
        && (harvest.finished || is_whole(&harvest.profile))
    {
        return Ok(near(harvest));
    }
    let Some((launch, at)) = launch.filter(|(launch, _)| other_hosts::leaves_this_host(launch))
    else {
        let harvest = from(traces)?;
        return Ok(Gathered {
            harvest,
            ..Gathered::default()
        });
    };
    let directory = scratch.join("hosts");
    fs::create_dir_all(&directory).context("a directory for what other hosts have")?;
    for file in traces.files().unwrap_or_default() {
        if let Some(name) = file.file_name() {
            fs::copy(&file, directory.join(name)).context("the journals of this host")?;
        }
    }
    let outcome = other_hosts::fetch(launch, traces, at, &directory)?;
    let brought = Traces {
        run: traces.run.clone(),
        journals: directory,
    };
    Ok(Gathered {
        harvest: from(&brought)?,
        trouble: outcome.trouble,
        far: true,
    })
}

fn near(harvest: Harvest) -> Gathered {
    Gathered {
        harvest: Some(harvest),
        ..Gathered::default()
    }
}

/// What lies in one directory of journals: a finished profile, or what the journals make.
fn from(traces: &Traces) -> anyhow::Result<Option<Harvest>> {
    for file in traces.files().unwrap_or_default() {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if is_profile(&name) {
            return finished(&file);
        }
    }
    if !traces.journals.is_dir() {
        return Ok(None);
    }
    let recovery = traces.recover()?;
    Ok(recovery.map(|recovery| Harvest {
        profile: recovery.profile,
        finished: false,
    }))
}

fn finished(path: &Path) -> anyhow::Result<Option<Harvest>> {
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(Harvest {
        profile: Profile::read(path)?,
        finished: true,
    }))
}

/// Whether there is something of every rank.
fn is_whole(profile: &Profile) -> bool {
    match &profile.manifest.outcome {
        Outcome::Recovered { missing } => missing.is_empty(),
        Outcome::Finalized => true,
    }
}
