//! Duplicates of the world, which inherit the attributes that MPI has set on it.
//!
//! Open MPI keeps these attributes on `MPI_COMM_WORLD`, and copies them wherever it copies
//! attributes. The communicator that replaces the world was not made by copying, so it lacks them,
//! and so do its duplicates. A mark on it is copied in their place, and tells for which
//! communicators the world is asked.

use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Address, Handle};
use std::ptr;
use std::sync::OnceLock;

/// The key of the mark.
static KEY: OnceLock<c_int> = OnceLock::new();

/// Marks the communicator that replaces the world.
pub(crate) fn mark(world: Handle) -> Result {
    let mut key = 0;
    // SAFETY: the callbacks have the types that MPI asks for. They live as long as the process,
    // because this library is never unloaded.
    unsafe { mpi::comm_create_keyval(copied, deleted, &raw mut key, ptr::null_mut()) }?;
    // SAFETY: the communicator is alive, and the key was made above.
    unsafe { mpi::comm_set_attr(world, key, ptr::null_mut()) }?;
    let _ = KEY.set(key);
    Ok(())
}

/// Whether `comm`, which must be alive, has inherited the mark.
pub(crate) fn is_one(comm: Handle) -> bool {
    let (mut value, mut found) = (ptr::null_mut(), 0);
    KEY.get().is_some_and(|&key| {
        // SAFETY: the communicator is alive, the key was made by `mark`, and both results are
        // variables on this stack.
        unsafe { mpi::comm_get_attr(comm, key, &raw mut value, &raw mut found) }.is_ok()
            && found != 0
    })
}

/// # Safety
/// MPI calls it as a copy callback.
unsafe extern "C" fn copied(
    _: Handle,
    _: c_int,
    _: Address,
    value: Address,
    new: Address,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes an address for the copy.
    unsafe { new.cast::<Address>().write(value) };
    // SAFETY: MPI passes an address for the flag.
    unsafe { flag.write(1) };
    0
}

/// # Safety
/// MPI calls it as a delete callback.
unsafe extern "C" fn deleted(_: Handle, _: c_int, _: Address, _: Address) -> c_int {
    0
}
