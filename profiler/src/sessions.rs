//! Programs that open sessions instead of calling `MPI_Init`.
//!
//! Opening and closing one is a matter of a single process, so nothing here communicates: every process counts into its
//! journal, and the launcher makes the profile of them.

use crate::{attached, journal, session};
use rankfold_abi as abi;
use rankfold_abi::{Address, Handle};
use rankfold_profile::journal::State;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Those open now.
static OPEN: Mutex<Vec<Handle>> = Mutex::new(Vec::new());

fn open() -> MutexGuard<'static, Vec<Handle>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the open ones.
pub(crate) fn any() -> Option<Handle> {
    open().first().copied()
}

/// The program has opened the session that was just stored at `place`.
pub(crate) fn opened(place: Address) {
    // SAFETY: MPI has just stored the session there.
    let session = unsafe { abi::detect().handle_at(place, 0) };
    open().push(session);
    session::start_alone();
}

/// The program is about to close the session at `place`.
pub(crate) fn closing(place: Address) {
    // SAFETY: the program passes a session.
    let session = unsafe { abi::detect().handle_at(place, 0) };
    let mut open = open();
    open.retain(|&other| other != session);
    if open.is_empty() && session::alone() {
        journal::mark(State::Finalized);
        attached::forget();
    }
}
