//! How counting began in this process: in `MPI_Init`, in an MPI session without it, or not yet.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether `MPI_Init` was dealt with, which happens once in a process.
static INITIALIZED: AtomicBool = AtomicBool::new(false);
/// Whether this process counts without `MPI_Init`, because it opened an MPI session.
static BY_SESSION: AtomicBool = AtomicBool::new(false);

/// `MPI_Init` is about to be dealt with; whether that happens for the first time.
pub(super) fn initialize() -> bool {
    !INITIALIZED.swap(true, Ordering::AcqRel)
}

/// Whether `MPI_Init` was dealt with.
pub(super) fn is_initialized() -> bool {
    INITIALIZED.load(Ordering::Acquire)
}

/// Whether this process counts without `MPI_Init`.
pub(super) fn is_by_session() -> bool {
    BY_SESSION.load(Ordering::Acquire)
}

/// Says whether this process counts without `MPI_Init`.
pub(super) fn set_by_session(by_session: bool) {
    BY_SESSION.store(by_session, Ordering::Release);
}
