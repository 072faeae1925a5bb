//! The MPI sessions that are open (MPI 4.0, section 11.3).

use rankfold_abi::Handle;
use std::sync::{Mutex, MutexGuard, PoisonError};

static OPEN: Mutex<Vec<Handle>> = Mutex::new(Vec::new());

fn open() -> MutexGuard<'static, Vec<Handle>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the open sessions.
pub(crate) fn any() -> Option<Handle> {
    open().first().copied()
}

/// Adds a session that was opened.
pub(crate) fn add(session: Handle) {
    open().push(session);
}

/// Removes a session that is about to be closed. Calls `last` if no other session is open, before
/// another can be added.
pub(crate) fn remove(session: Handle, last: impl FnOnce()) {
    let mut open = open();
    open.retain(|&other| other != session);
    if open.is_empty() {
        last();
    }
}
