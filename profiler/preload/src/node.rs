//! Which ranks share memory with this one, according to the MPI library.

use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Abi, Handle};

/// The lowest rank in `comm` among those that share memory with this process according to the MPI
/// library. `rank` is the rank of this process in `comm`. Collective.
///
/// # Errors
/// Those of MPI.
///
/// # Safety
/// The communicator is alive, and all its ranks call this.
pub unsafe fn lowest(comm: Handle, rank: u32, abi: &Abi) -> Result<u32> {
    let mut node = 0;
    let (kind, key) = (abi.comm_type_shared, rank as c_int);
    // SAFETY: the caller guarantees that the communicator is alive. The new one is a variable on
    // this stack.
    unsafe { mpi::comm_split_type(comm, kind, key, abi.info_null, &raw mut node) }?;
    // The key keeps the order of the ranks, so the lowest rank is rank 0 of the new communicator.
    // SAFETY: the caller guarantees that `comm` is alive, and `node` was made above.
    let lowest = unsafe { rank_of_first(node, comm) };
    // SAFETY: the communicator was made above, and no operation is under way on it.
    unsafe { mpi::comm_free(&raw mut node) }?;
    lowest
}

/// The rank in `comm` of rank 0 of `node`. Local.
///
/// # Safety
/// Both communicators are alive.
unsafe fn rank_of_first(node: Handle, comm: Handle) -> Result<u32> {
    let (mut group, mut all, rank, mut found) = (0, 0, 0, 0);
    // SAFETY: the caller guarantees that the communicator is alive.
    unsafe { mpi::comm_group(node, &raw mut group) }?;
    // SAFETY: the caller guarantees that the communicator is alive.
    unsafe { mpi::comm_group(comm, &raw mut all) }?;
    // SAFETY: both groups were made above, and the first has a rank 0.
    unsafe { mpi::group_translate_ranks(group, 1, &raw const rank, all, &raw mut found) }?;
    // SAFETY: the group was made above, and is not used any more.
    unsafe { mpi::group_free(&raw mut group) }?;
    // SAFETY: the group was made above, and is not used any more.
    unsafe { mpi::group_free(&raw mut all) }?;
    Ok(u32::try_from(found).unwrap_or(u32::MAX))
}
