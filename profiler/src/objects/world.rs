//! The group of all ranks. All counts are between ranks of this group.

use super::sessions;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Abi, Handle};
use std::ffi::CStr;

/// The name of the process set of all ranks (MPI 4.0, section 11.3.2).
const WORLD: &CStr = c"mpi://WORLD";

/// Calls `use_it` with the group of the world, and frees the group afterwards. Local.
pub(crate) fn with_group<T>(abi: &Abi, use_it: impl FnOnce(Handle) -> Result<T>) -> Result<T> {
    let mut all = 0;
    // A program that never calls `MPI_Init` has no world communicator. Its sessions know the
    // process set.
    match sessions::any() {
        // SAFETY: the session is open, the name ends with a NUL, and the group is a variable on
        // this stack.
        Some(session) => unsafe { mpi::group_from_pset(session, WORLD.as_ptr(), &raw mut all) }?,
        // SAFETY: no session is open, so MPI is between `MPI_Init` and `MPI_Finalize`, where the
        // world is alive.
        None => unsafe { mpi::comm_group(abi.comm_world, &raw mut all) }?,
    }
    let result = use_it(all);
    // SAFETY: the group was made above, and is not used any more.
    unsafe { mpi::group_free(&raw mut all) }?;
    result
}
