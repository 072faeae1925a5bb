//! Starts this program as the ranks of a launch, in place of the user's program. Rank 0 sends
//! messages to the process that gave the launch, as lines of standard output.

mod limit;
mod lines;

pub(crate) use limit::end_after;
pub(crate) use lines::{Ended, Heard, hear, tell};

use anyhow::Context;
use rankfold_abi::loaded::{LoadError, World, find, launched_ranks};
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::Launch;
use rankfold_launch::launchers;
use rankfold_wire::env;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;

/// The launch in `words` with this program and `arguments` in place of the user's program, which
/// may be missing.
pub(crate) fn launch(words: &[OsString], arguments: &[OsString]) -> anyhow::Result<Launch> {
    let mut launch = understand(words)?;
    take_over(&mut launch, arguments)?;
    Ok(launch)
}

/// The launch in `words`. This program is added where `words` name no program.
pub(crate) fn understand(words: &[OsString]) -> anyhow::Result<Launch> {
    Ok(match launchers::understand(words) {
        Err(LaunchError::NoProgram { .. }) if !words.is_empty() => {
            launchers::understand(&[words, &[own()?]].concat())?
        }
        understood => understood?,
    })
}

/// Puts this program with `arguments` in place of the user's programs.
pub(crate) fn take_over(launch: &mut Launch, arguments: &[OsString]) -> anyhow::Result<()> {
    let ours = [&[own()?], arguments].concat();
    for app in &mut launch.apps {
        app.program.clone_from(&ours);
    }
    Ok(())
}

/// The path of this program.
fn own() -> anyhow::Result<OsString> {
    let program = std::env::current_exe().context("the path of this program")?;
    Ok(program.into_os_string())
}

/// The reason why a rank cannot work.
#[derive(Clone, Debug, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("no MPI was opened on {host}: {problem}; name the library with --mpi")]
    NoMpi { host: String, problem: String },
    #[error(
        "the launcher has started {launched} ranks, and each is a world of its own under {library}: the library is of another MPI than the launcher; name the right library with --mpi"
    )]
    Alone { launched: usize, library: String },
}

/// Opens the MPI library `given`, or else the library of the launcher.
///
/// # Errors
/// No library can be opened, or every rank is a world of its own.
pub(crate) fn open(given: Option<&Path>) -> Result<World, Unfit> {
    let problem = |error: LoadError| Unfit::NoMpi {
        host: crate::traces::host(),
        problem: error.to_string(),
    };
    // Renumbered ranks are examined under the rank numbers that a program sees, and the profiler
    // finds out in `MPI_Init` how fast renumbered ranks are.
    let is_set = |name: &&str| std::env::var_os(name).is_some();
    let through_tools = [env::WORLD, env::WORLD_TIMES].iter().any(is_set);
    let world = World::open(&find(given), through_tools).map_err(problem)?;
    match launched_ranks() {
        Some(launched) if launched > 1 && world.size() == 1 => Err(Unfit::Alone {
            launched,
            library: world.library().display().to_string(),
        }),
        _ => Ok(world),
    }
}
