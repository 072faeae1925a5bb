//! This program as the ranks of a launch: the user's launcher starts it in place of the user's
//! program. Rank 0 tells the process that gave the launch what there is to know, a line of standard
//! output each.

mod limit;
mod lines;

pub(crate) use limit::end_after;
pub(crate) use lines::{Ended, hear, tell};

use crate::error::LaunchError;
use crate::launch::Launch;
use crate::launchers;
use anyhow::Context;
use rankfold_abi::loaded::{LoadError, World, find, launched_ranks};
use rankfold_profile::env;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;

/// The launch `words` give, of this program with `arguments` in place of theirs; theirs may be
/// missing.
pub(crate) fn launch(words: &[OsString], arguments: &[OsString]) -> anyhow::Result<Launch> {
    let mut launch = understand(words)?;
    take_over(&mut launch, arguments)?;
    Ok(launch)
}

/// The launch `words` give; this program is the one where they give none.
pub(crate) fn understand(words: &[OsString]) -> anyhow::Result<Launch> {
    Ok(match launchers::understand(words) {
        Err(LaunchError::NoProgram { .. }) if !words.is_empty() => {
            launchers::understand(&[words, &[own()?]].concat())?
        }
        understood => understood?,
    })
}

/// Puts this program with `arguments` in the place of theirs.
pub(crate) fn take_over(launch: &mut Launch, arguments: &[OsString]) -> anyhow::Result<()> {
    let ours = [&[own()?], arguments].concat();
    for app in &mut launch.apps {
        app.program.clone_from(&ours);
    }
    Ok(())
}

/// This program.
fn own() -> anyhow::Result<OsString> {
    let program = std::env::current_exe().context("the path of this program")?;
    Ok(program.into_os_string())
}

/// Why a rank cannot work.
#[derive(Clone, Debug, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("no MPI was opened on {host}: {problem}; name the library with --mpi")]
    NoMpi { host: String, problem: String },
    #[error(
        "the launcher has started {launched} ranks, and each is a world of its own under {library}: the library is of another MPI than the launcher; name the right one with --mpi"
    )]
    Alone { launched: usize, library: String },
}

/// Opens the MPI of the launcher, or the one `given`.
pub(crate) fn open(given: Option<&Path>) -> Result<World, Unfit> {
    let problem = |error: LoadError| Unfit::NoMpi {
        host: crate::traces::host(),
        problem: error.to_string(),
    };
    // Ranks that are renumbered are to be examined under the numbers that a program sees.
    let through_tools = std::env::var_os(env::WORLD).is_some();
    let world = World::open(&find(given), through_tools).map_err(problem)?;
    match launched_ranks() {
        Some(launched) if launched > 1 && world.size() == 1 => Err(Unfit::Alone {
            launched,
            library: world.library().display().to_string(),
        }),
        _ => Ok(world),
    }
}
