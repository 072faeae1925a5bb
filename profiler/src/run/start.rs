//! What the library does in `MPI_Init`.

use super::process::Process;
use super::rootless::is_rootless;
use super::{begun, eager, seats, unseen, until, world_times};
use crate::config::{self, Config};
use crate::journal::notes;
use crate::objects::attributes;
use crate::{epoch, journal, monitoring, parameters, thread, tool, turns};
use rankfold_abi::{self as abi, Abi};
use rankfold_preload::gather::endpoint::Endpoint;
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::presence::{self, MissingRank, Presence, find_missing_ranks};
use rankfold_preload::gather::wait::Result;
use rankfold_preload::warning::{first_of_host, warn, warn_once_a_host, warn_once_a_run};
use rankfold_preload::{children, launcher, process};
use rankfold_wire::{Surroundings, env};
use std::fs::File;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

static RUN: OnceLock<Run> = OnceLock::new();

/// What `MPI_Init` has set up and `MPI_Finalize` needs.
pub(super) struct Run {
    pub(super) profile: &'static Path,
    pub(super) own_comm: OwnComm,
    pub(super) process: Process,
    /// The user at that time.
    pub(super) user: u32,
    /// The time at which counting began, if calls are timed.
    pub(super) timed: Option<Instant>,
}

/// Stops counting for good. Returns the run, if `MPI_Init` had started to count.
pub(super) fn stop() -> Option<&'static Run> {
    RUN.get().filter(|_| epoch::stop())
}

/// Starts the run, after `MPI_Init` has succeeded.
pub(crate) fn start() {
    let Some(config) = config::get() else { return };
    let wanted = config.profile.is_some() || config.seats.is_some();
    if !wanted || !begun::initialize() {
        return;
    }
    children::release();
    let Some(abi) = abi::detect() else {
        let text = "this MPI library is neither Open MPI nor of the MPICH family nor of the standard ABI: this run is not profiled";
        leave_mark(config);
        warn_once_a_host(&config.run, "family", text);
        return;
    };
    match open(config, abi) {
        Ok(true) => {
            begun::set_by_session(false);
            epoch::first(RUN.get().is_some_and(|run| run.timed.is_some()));
            until::schedule(config);
            turns::begin();
            if tool::find() {
                epoch::look_closer();
            }
            thread::this().catch_up();
            // Duplicates of the world share what is kept of it. If this fails, each of them is
            // looked up by itself.
            let _ = attributes::of_communicator(abi.comm_world);
            unseen::look();
        }
        Ok(false) => {}
        Err(error) => {
            discard_journal();
            warn(format_args!("{error}: this run is not profiled"));
        }
    }
}

/// Does what the launcher has asked for, and returns whether anything is to be counted. Collective
/// among the ranks that have loaded this library.
fn open(config: &'static Config, abi: &Abi) -> Result<bool> {
    // SAFETY: `MPI_Init` has returned, so the world is alive until `MPI_Finalize`.
    let world = unsafe { Endpoint::world(abi, config.patience) }?;
    if process::is_spawned(abi)? {
        // The rank that started this world has said that it is not profiled.
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
        let consequence = "the counters are in memory, and a crash would lose them";
        let written = process.open_journal(config, world.rank, world.ranks, consequence);
        if written && is_rootless(config, &world, &host, &process.mpi) {
            discard_journal();
            let neighbours = vec![host];
            tell(
                &[MissingRank {
                    rank: 0,
                    neighbours,
                }],
                config,
            );
            return Ok(false);
        }
    }
    let told_one_host = launcher::mpi_knows_one_host(world.ranks);
    let present = find_missing_ranks(&world, &host, told_one_host, nanoseconds)?;
    let (stamp, place) = match present {
        Presence::All(stamp, place) => (stamp, place),
        Presence::Missing(missing) => {
            discard_journal();
            tell(&missing, config);
            return Ok(false);
        }
    };
    let own_comm = OwnComm::new(&world, place)?;
    // Where ranks are renumbered, only `librankfold_world.so` knows both numbers of a rank.
    if !config.renumbered {
        match seats::numbers(&own_comm, abi) {
            Ok(numbers) => {
                if let Some(path) = &config.seats {
                    seats::record(path, &host, numbers, &own_comm)?;
                }
                if described.is_some() {
                    notes::numbers(numbers);
                }
            }
            Err(error) if own_comm.endpoint.is_root() => warn(format_args!(
                "{error}: it is unknown where the ranks sit; counting goes on"
            )),
            Err(_) => {}
        }
    }
    if let Some(path) = &config.world_times {
        world_times::record(path, &own_comm, abi)?;
    }
    let Some((profile, described)) = described else {
        own_comm.endpoint.close()?;
        return Ok(false);
    };
    eager::configure(config, world.rank);
    if first_of_host(&config.run, &host) {
        notes::surroundings(Surroundings::of_process(&host));
    }
    if world.is_root() {
        notes::parameters(parameters::of_run(&described.mpi, monitoring::original));
    }
    if config.monitored {
        monitoring::begin();
    }
    journal::stamp(stamp.get());
    let _ = RUN.set(Run {
        profile,
        own_comm,
        process: described,
        user: process::user(),
        timed: config
            .time
            .includes(world.rank, world.ranks)
            .then(Instant::now),
    });
    Ok(true)
}

/// Removes the journal of a run that is not profiled. Its user cannot have changed yet, so a
/// failure means that somebody else has removed it.
fn discard_journal() {
    let _ = journal::remove();
}

/// Leaves a file that tells the launcher that `MPI_Init` has returned, whatever becomes of the run.
/// Without the file the launcher has to guess why there is no profile; nothing else is lost.
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

/// Prints which ranks have not reported. Prints nothing if another rank has to do so.
fn tell(missing: &[MissingRank], config: &Config) {
    let Some(late) = presence::describe(missing, config.patience) else {
        return;
    };
    leave_mark(config);
    let text =
        format!("{late}, it seems not to have loaded librankfold.so: this run is not profiled");
    let result = config.profile.as_deref().or(config.seats.as_deref());
    warn_once_a_run(&config.run, "missing", result, text);
}

/// Nanoseconds since 1970.
fn nanoseconds() -> NonZeroU64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = u64::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
    NonZeroU64::new(now).unwrap_or(NonZeroU64::MIN)
}
