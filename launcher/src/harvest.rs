//! Collects the profile of a run that has ended.
//!
//! Rank 0 writes the profile into the directory of the session, or into the directory of journals
//! on its host where it cannot see the former. If no rank has written a profile, it is made from
//! the journals of all hosts.

use crate::traces::{Traces, contents, is_profile};
use crate::{library, other_hosts};
use anyhow::Context;
use rankfold_console::terminal;
use rankfold_launch::launch::Launch;
use rankfold_wire::{Outcome, Profile, Unseen, add_nccl_of};
use std::fs;
use std::path::Path;

/// A collected profile.
pub(crate) struct Harvest {
    pub(crate) profile: Profile,
    /// Whether rank 0 has written the profile. It was made from journals otherwise.
    pub(crate) finished: bool,
    /// Whether all ranks are known to have reached `MPI_Finalize`.
    pub(crate) finalized: bool,
}

/// The result of a collection.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) harvest: Option<Harvest>,
    /// Why files on other hosts could not be reached, if there may be any.
    pub(crate) trouble: Option<String>,
    /// Whether a process was started on the other hosts.
    pub(crate) asked_hosts: bool,
}

/// Finds the profile of a run: in the file `written`, in the journals of this host, or on the hosts
/// of `launch`, which the user gave in the directory `at`. Files of other hosts are copied into the
/// directory `scratch`.
///
/// # Errors
/// A profile exists and cannot be read, or `scratch` cannot be written to.
pub(crate) fn gather(
    traces: &Traces,
    written: &Path,
    launch: Option<(&Launch, &Path)>,
    scratch: &Path,
) -> anyhow::Result<Gathered> {
    let written = finished(written)?;
    // NCCL's plugin leaves journals only, whatever rank 0 has written.
    let counts_nccl = library::find().is_ok_and(|found| library::find_nccl(&found).is_some());
    let is_complete = |Harvest {
                           profile, finished, ..
                       }: &Harvest| {
        let ended = is_whole(profile) || (*finished && profile.nccl.is_none());
        ended && !(counts_nccl && profile.unseen.contains(&Unseen::Nccl))
    };
    let harvest = complete(traces, written.as_ref())?;
    let launch = launch.filter(|(launch, _)| other_hosts::leaves_this_host(launch));
    let (Some((launch, at)), false) = (launch, harvest.as_ref().is_some_and(is_complete)) else {
        return Ok(Gathered {
            harvest,
            ..Gathered::default()
        });
    };
    let directory = scratch.join("hosts");
    fs::create_dir_all(&directory).context("a directory for what other hosts have")?;
    for file in traces.files().unwrap_or_default() {
        if let Some(name) = file.file_name() {
            let bytes = contents(&file).context("the journals of this host")?;
            fs::write(directory.join(name), bytes).context("the journals of this host")?;
        }
    }
    let outcome = other_hosts::fetch(launch, traces, at, &directory)?;
    let brought = Traces {
        run: traces.run.clone(),
        journals: directory,
    };
    Ok(Gathered {
        harvest: complete(&brought, written.as_ref())?,
        trouble: outcome.trouble,
        asked_hosts: true,
    })
}

/// The profile that rank 0 has `written`, or else that of a directory of journals, and in either
/// case what these journals hold of NCCL.
fn complete(traces: &Traces, written: Option<&Profile>) -> anyhow::Result<Option<Harvest>> {
    let mut harvest = match written {
        Some(profile) => Some(Harvest {
            profile: profile.clone(),
            finished: true,
            finalized: true,
        }),
        None => from(traces)?,
    };
    if let Some(harvest) = harvest.as_mut().filter(|harvest| harvest.finished)
        && traces.journals.is_dir()
    {
        let left_out = add_nccl_of(&mut harvest.profile, &traces.journals, &traces.run)?;
        tell_left_out(left_out);
    }
    Ok(harvest)
}

fn tell_left_out(problem: Option<String>) {
    if let Some(problem) = problem {
        terminal::warning(format_args!(
            "what the ranks sent with NCCL is left out: {problem}"
        ));
    }
}

/// The profile from one directory of journals: the finished profile of rank 0, or else a profile
/// made from the journals; `None` where there is neither.
fn from(traces: &Traces) -> anyhow::Result<Option<Harvest>> {
    for file in traces.files().unwrap_or_default() {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if is_profile(&name) {
            let profile = finished(&file)?;
            return Ok(profile.map(|profile| Harvest {
                profile,
                finished: true,
                finalized: true,
            }));
        }
    }
    if !traces.journals.is_dir() {
        return Ok(None);
    }
    let recovery = traces.recover()?;
    Ok(recovery.map(|recovery| {
        tell_left_out(recovery.left_out);
        Harvest {
            profile: recovery.profile,
            finished: false,
            finalized: recovery.finalized,
        }
    }))
}

/// The profile that rank 0 has written to `path`; `None` where there is no such file.
fn finished(path: &Path) -> anyhow::Result<Option<Profile>> {
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(Profile::read(path)?))
}

/// Whether no rank is missing in the profile.
fn is_whole(profile: &Profile) -> bool {
    match &profile.manifest.outcome {
        Outcome::Recovered { missing } => missing.is_empty(),
        Outcome::Finalized => true,
    }
}
