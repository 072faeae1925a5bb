//! How counting began in this process: in `MPI_Init`, by an MPI session without it, or not yet.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the library has acted on `MPI_Init`, which it does once in a process.
static INITIALIZED: AtomicBool = AtomicBool::new(false);
/// Whether this process counts without `MPI_Init`, because the program has opened an MPI session.
static BY_SESSION: AtomicBool = AtomicBool::new(false);

/// Notes that the library acts on `MPI_Init`. Returns whether this is the first time.
pub(super) fn initialize() -> bool {
    !INITIALIZED.swap(true, Ordering::AcqRel)
}

/// Whether the library has acted on `MPI_Init`.
pub(super) fn is_initialized() -> bool {
    INITIALIZED.load(Ordering::Acquire)
}

/// Whether this process counts without `MPI_Init`.
pub(super) fn is_by_session() -> bool {
    BY_SESSION.load(Ordering::Acquire)
}

/// Stores whether this process counts without `MPI_Init`.
pub(super) fn set_by_session(by_session: bool) {
    BY_SESSION.store(by_session, Ordering::Release);
}
