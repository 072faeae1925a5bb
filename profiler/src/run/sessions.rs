//! Programs that open MPI sessions instead of calling `MPI_Init`, or whose sessions go on after
//! `MPI_Finalize`.
//!
//! A single process opens and closes a session, and other processes may never open one. So nothing
//! here communicates: every process counts into its journal, and the launcher makes the profile of
//! the journals.

use super::process::Process;
use super::{begun, eager};
use crate::config::{self, Config, Timed};
use crate::objects::{attributes, sessions, world};
use crate::{epoch, journal};
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{self as abi, Abi, Address};
use rankfold_preload::warning::{warn, warn_once_a_host};
use rankfold_wire::journal::State;

/// `MPI_Session_init` has succeeded, and has stored the session at `place`.
pub(crate) fn opened(place: Address) {
    let Some(abi) = abi::detect() else { return };
    // SAFETY: the call has succeeded, so MPI has stored a session at `place`.
    let session = unsafe { abi.handle_at(place, 0) };
    sessions::add(session);
    let Some(config) = config::get().filter(|config| config.profile.is_some()) else {
        return;
    };
    if begun::is_by_session() {
        // Counting began with an earlier session, which may be closed by now.
        journal::mark(State::Running);
    } else if !begun::is_initialized() {
        match open(config, abi) {
            Ok(false) => {}
            Ok(true) => {
                begun::set_by_session(true);
                epoch::first(config.time != Timed::Nobody);
            }
            Err(error) => warn(format_args!("{error}: this process is not profiled")),
        }
    } else if !epoch::is_open() {
        warn_once_a_host(
            &config.run,
            "session",
            "an MPI session begins after MPI_Finalize: what is sent in it is not counted",
        );
    }
}

/// `MPI_Finalize` has left the counters of all ranks in the journals, because some ranks have open
/// sessions. Counting goes on, `timed` or not.
pub(super) fn go_on(timed: bool) {
    begun::set_by_session(true);
    if sessions::any().is_some() {
        journal::mark(State::Running);
    }
    epoch::first(timed);
}

/// The program is about to close the session at `place`.
pub(crate) fn closing(place: Address) {
    let Some(abi) = abi::get().filter(|_| !place.is_null()) else {
        return;
    };
    // SAFETY: `place` is not null, so the program has passed the address of a session.
    let session = unsafe { abi.handle_at(place, 0) };
    sessions::remove(session, || {
        if begun::is_by_session() {
            journal::mark(State::Finalized);
            attributes::forget();
        }
    });
}

/// Opens the journal of this process, and returns whether the journal is a file. Counters that are
/// only in memory would be lost, because no rank gathers them.
fn open(config: &Config, abi: &Abi) -> Result<bool> {
    let (mut rank, mut ranks) = (0, 0);
    world::with_group(abi, |all| {
        // SAFETY: `with_group` passes a group that is alive.
        unsafe { mpi::group_rank(all, &raw mut rank) }?;
        // SAFETY: `with_group` passes a group that is alive.
        unsafe { mpi::group_size(all, &raw mut ranks) }
    })?;
    eager::configure(config, rank.unsigned_abs());
    let process = Process::describe();
    let (rank, ranks) = (rank.unsigned_abs(), ranks.unsigned_abs());
    Ok(process.open_journal(
        config,
        rank,
        ranks,
        "processes without MPI_Init are not profiled",
    ))
}
