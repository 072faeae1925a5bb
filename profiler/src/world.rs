//! The group of all ranks, in which everything is counted.

use crate::sessions;
use rankfold_abi::Abi;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};

/// Lets `use_it` have the group of the world; local.
pub(crate) fn with_group<T>(abi: &Abi, use_it: impl FnOnce(Handle) -> Result<T>) -> Result<T> {
    let mut all = 0;
    // Of a program without `MPI_Init` only its sessions know the world.
    match sessions::any() {
        // SAFETY: an open session.
        Some(session) => unsafe { mpi::group_from_pset(session, WORLD.as_ptr(), &raw mut all) }?,
        // SAFETY: the world lives between Init and Finalize.
        None => unsafe { mpi::comm_group(abi.comm_world, &raw mut all) }?,
    }
    let result = use_it(all);
    // SAFETY: made above.
    unsafe { mpi::group_free(&raw mut all) }?;
    result
}

/// The process set of all ranks (MPI 4.0, section 11.3.2).
const WORLD: &std::ffi::CStr = c"mpi://WORLD";
