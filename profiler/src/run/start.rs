//! `MPI_Init`.

use super::process::{self, Process};
use super::{begun, eager, seats};
use crate::config::{self, Config};
use crate::gather::comm::Comm;
use crate::gather::private_comm::PrivateComm;
use crate::warning::warn;
use crate::{epoch, journal};
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi};
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

static RUN: OnceLock<Run> = OnceLock::new();

/// What `MPI_Init` found, for `MPI_Finalize`.
pub(super) struct Run {
    pub(super) profile: &'static Path,
    pub(super) world: Comm,
    pub(super) private: PrivateComm,
    pub(super) process: Process,
    /// When counting began, if time is wanted.
    pub(super) timed: Option<Instant>,
}

/// Stops counting for good; the run, if `MPI_Init` had started to count it.
pub(super) fn stop() -> Option<&'static Run> {
    RUN.get().filter(|_| epoch::stop())
}

/// `MPI_Init` has succeeded.
pub(crate) fn start() {
    let Some(config) = config::get() else { return };
    let wanted = config.profile.is_some() || config.seats.is_some();
    if !wanted || !begun::initialize() {
        return;
    }
    match open(config, abi::detect()) {
        Ok(true) => {
            begun::set_by_session(false);
            epoch::first(config.time);
        }
        Ok(false) => {}
        Err(error) => warn(format_args!("{error}: this run is not profiled")),
    }
}

/// Does what was asked for; whether there is something to count. Collective.
fn open(config: &'static Config, abi: &Abi) -> Result<bool> {
    // SAFETY: the world is alive from `MPI_Init`, which has returned, to `MPI_Finalize`.
    let world = unsafe { Comm::new(abi.comm_world, abi) }?;
    if spawned(abi)? {
        if world.is_root() {
            warn("spawned by MPI_Comm_spawn: this world is not profiled, only its parent is");
        }
        return Ok(false);
    }
    if let Some(path) = &config.seats {
        seats::record(path, &process::host(), world, abi)?;
    }
    let Some(profile) = &config.profile else {
        return Ok(false);
    };
    eager::configure(config, world.rank);
    let run = Run {
        profile,
        world,
        private: PrivateComm::open(world)?,
        process: Process::describe(),
        timed: config.time.then(Instant::now),
    };
    let opened = run.open_journals(config)?;
    if opened {
        let _ = RUN.set(run);
    } else {
        run.private.close()?;
    }
    Ok(opened)
}

impl Run {
    /// Opens the journals of all ranks. A profile needs every rank: where one has no journal, none counts. Collective.
    fn open_journals(&self, config: &Config) -> Result<bool> {
        let Comm { rank, ranks, .. } = self.world;
        let opened = self.process.open_journal(config, rank, ranks);
        let stamp = self.world.agree(opened, nanoseconds)?;
        match stamp {
            Some(stamp) => journal::stamp(stamp.get()),
            None => journal::remove(),
        }
        Ok(stamp.is_some())
    }
}

/// Since 1970.
fn nanoseconds() -> NonZeroU64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
    NonZeroU64::new(now).unwrap_or(NonZeroU64::MIN)
}

/// Whether `MPI_Comm_spawn` has started this world.
fn spawned(abi: &Abi) -> Result<bool> {
    let mut parent = abi.comm_null;
    // SAFETY: `MPI_Init` has returned, and the handle is a variable on this stack.
    unsafe { mpi::comm_get_parent(&raw mut parent) }?;
    Ok(parent & abi.mask != abi.comm_null)
}
