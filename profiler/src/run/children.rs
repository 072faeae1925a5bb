//! Worlds that `MPI_Comm_spawn` starts, which are not profiled.

use crate::epoch;
use libc::c_int;
use rankfold_abi::{Handle, mpi};
use rankfold_preload::warning::warn;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process has said it.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Says once that the ranks are not profiled that `comm` has started, in the process that is its
/// `root`. The started ranks cannot say it everywhere: PRRTE 3 starts them without this library.
pub(crate) fn spawned(root: c_int, comm: Handle) {
    let mut rank = -1;
    // SAFETY: the program has just passed this communicator to MPI, which has returned no error.
    let known = unsafe { mpi::comm_rank(comm, &raw mut rank) };
    let is_told = || TOLD.swap(true, Ordering::Relaxed);
    if known.is_ok() && rank == root && epoch::is_open() && !is_told() {
        warn(
            "MPI_Comm_spawn: the ranks that it has started are not profiled, only those that started them are",
        );
    }
}
