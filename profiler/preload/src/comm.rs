//! Makes communicators with the same processes in another order.

use libc::c_int;
use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};

/// Makes a communicator in which rank r is process `order[r]` of `comm`, with the error handler of
/// `comm`. `comm` must be alive, and `order` must name each of its ranks once. Collective.
///
/// # Errors
/// Those of MPI.
pub fn permuted(comm: Handle, order: &[u32]) -> Result<Handle> {
    let (mut all, mut group, mut new) = (0, 0, 0);
    // SAFETY: the communicator is alive, and the group is a variable on this stack.
    unsafe { mpi::comm_group(comm, &raw mut all) }?;
    // SAFETY: the group was made above, and the list names each of its ranks once.
    unsafe {
        mpi::group_incl(
            all,
            order.len() as c_int,
            order.as_ptr().cast(),
            &raw mut group,
        )
    }?;
    // SAFETY: the communicator is alive, all its ranks call this, and the group was made above.
    unsafe { mpi::comm_create(comm, group, &raw mut new) }?;
    for mut group in [all, group] {
        // SAFETY: both groups were made above, and are not used any more.
        unsafe { mpi::group_free(&raw mut group) }?;
    }
    inherit_handler(comm, new)?;
    Ok(new)
}

/// Gives communicator `to` the error handler of `from`. Both must be alive.
///
/// MPICH lets a communicator whose handler was never set follow the handler of the world. So a
/// handler that `to` has already is not set.
///
/// # Errors
/// Those of MPI.
pub fn inherit_handler(from: Handle, to: Handle) -> Result {
    let mut handlers = [0; 2];
    for (comm, handler) in [from, to].into_iter().zip(&mut handlers) {
        // SAFETY: the communicator is alive, and the handler is a variable on this stack.
        unsafe { mpi::comm_get_errhandler(comm, handler) }?;
    }
    if handlers[0] != handlers[1] {
        // SAFETY: the communicator is alive, and the handler came from the call above.
        unsafe { mpi::comm_set_errhandler(to, handlers[0]) }?;
    }
    for mut handler in handlers {
        // SAFETY: the handler came from the call above. A communicator keeps its own reference.
        unsafe { mpi::errhandler_free(&raw mut handler) }?;
    }
    Ok(())
}
