//! `MPI_Init`.

use super::process::Process;
use super::rootless::is_rootless;
use super::{begun, eager, seats, unseen, until};
use crate::config::{self, Config};
use crate::journal::notes;
use crate::{epoch, journal, thread, tool};
use rankfold_abi::{self as abi, Abi};
use rankfold_preload::gather::lane::Lane;
use rankfold_preload::gather::muster::{self, Found, Missing, muster};
use rankfold_preload::gather::private::Private;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::process;
use rankfold_preload::warning::{first_of_host, warn, warn_once_a_host};
use rankfold_profile::{Surroundings, env};
use std::fs::File;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

static RUN: OnceLock<Run> = OnceLock::new();

/// What `MPI_Init` found, for `MPI_Finalize`.
pub(super) struct Run {
    pub(super) profile: &'static Path,
    pub(super) private: Private,
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
    let Some(abi) = abi::detect() else {
        let text = "this MPI library is neither of Open MPI's nor of MPICH's family, nor has it the standard ABI: this run is not profiled";
        leave_mark(config);
        warn_once_a_host(&config.run, "family", text);
        return;
    };
    match open(config, abi) {
        Ok(true) => {
            begun::set_by_session(false);
            epoch::first(RUN.get().is_some_and(|run| run.timed.is_some()));
            until::schedule(config);
            if tool::find() {
                epoch::look_closer();
            }
            thread::this().catch_up();
            unseen::look();
        }
        Ok(false) => {}
        Err(error) => {
            journal::remove();
            warn(format_args!("{error}: this run is not profiled"));
        }
    }
}

/// Does what was asked for; whether there is something to count. Collective of those ranks that
/// have this library.
fn open(config: &'static Config, abi: &Abi) -> Result<bool> {
    // SAFETY: the world is alive from `MPI_Init`, which has returned, to `MPI_Finalize`.
    let world = unsafe { Lane::world(abi, config.patience) }?;
    if process::is_spawned(abi)? {
        if world.is_root() {
            warn("spawned by MPI_Comm_spawn: this world is not profiled, only its parent is");
        }
        return Ok(false);
    }
    if world.is_root() {
        leave_mark(config);
    }
    let host = process::host();
    let described = config
        .profile
        .as_deref()
        .map(|profile| (profile, Process::describe()));
    if let Some((_, process)) = &described {
        let so = "counting in memory, which a crash would lose";
        let written = process.open_journal(config, world.rank, world.ranks, so);
        if written && is_rootless(config, &world, &host, &process.mpi) {
            journal::remove();
            let neighbours = vec![host];
            tell(
                &[Missing {
                    rank: 0,
                    neighbours,
                }],
                config,
            );
            return Ok(false);
        }
    }
    let (stamp, place) = match muster(&world, &host, nanoseconds)? {
        Found::All(stamp, place) => (stamp, place),
        Found::Missing(missing) => {
            journal::remove();
            tell(&missing, config);
            return Ok(false);
        }
    };
    let private = Private::new(&world, place)?;
    // Of renumbered ranks only the library that has renumbered them knows both numbers.
    if !config.renumbered {
        match seats::numbers(&private, abi) {
            Ok(numbers) => {
                if let Some(path) = &config.seats {
                    seats::record(path, &host, numbers, &private)?;
                }
                if described.is_some() {
                    notes::numbers(numbers);
                }
            }
            Err(error) if private.lane.is_root() => warn(format_args!(
                "{error}: nobody can tell where the ranks sit, counting goes on"
            )),
            Err(_) => {}
        }
    }
    let Some((profile, process)) = described else {
        private.lane.close()?;
        return Ok(false);
    };
    eager::configure(config, world.rank);
    if first_of_host(&config.run, &host) {
        notes::surroundings(Surroundings::of_process(&host));
    }
    journal::stamp(stamp.get());
    let _ = RUN.set(Run {
        profile,
        private,
        process,
        timed: config
            .time
            .includes(world.rank, world.ranks)
            .then(Instant::now),
    });
    Ok(true)
}

/// Tells the launcher that `MPI_Init` was come through, whatever becomes of the run. Where that
/// cannot be, it will have to guess why there is no profile, and nothing else is lost.
fn leave_mark(config: &Config) {
    let results = [&config.profile, &config.seats];
    for mark in results
        .into_iter()
        .flatten()
        .filter_map(|result| env::begun(result))
    {
        let _ = File::create(mark);
    }
}

/// Says which ranks are missing; nothing where that is another's to say.
fn tell(missing: &[Missing], config: &Config) {
    let Some(late) = muster::told(missing, config.patience) else {
        return;
    };
    leave_mark(config);
    let text =
        format!("{late}, it seems not to have loaded librankfold.so: this run is not profiled");
    warn_once_a_host(&config.run, "missing", text);
}

/// Since 1970.
fn nanoseconds() -> NonZeroU64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
    NonZeroU64::new(now).unwrap_or(NonZeroU64::MIN)
}
