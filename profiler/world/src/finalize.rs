//! Frees the exchanged world at the end of MPI, in a callback of `MPI_COMM_SELF`.
//!
//! `MPI_Finalize` deletes the attributes of `MPI_COMM_SELF` before anything else, the last one set
//! first (MPI 4.0, section 11.4.3). The attribute of this library is set right after `MPI_Init`, so
//! it is deleted last. Callbacks of the program thus still see the exchanged world.
//!
//! Freeing the exchanged world runs the callbacks of the attributes that the program has set on it,
//! as MPI does for its own world. Open MPI since version 5 does not run them, so there the
//! exchanged world is not freed.

use crate::world;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Abi, Address, Handle};
use rankfold_preload::process;
use std::ptr;

/// Sets the attribute of `MPI_COMM_SELF`.
pub(crate) fn prepare(abi: &Abi) -> Result {
    let mut key = 0;
    // SAFETY: the callbacks have the types that MPI asks for. They live as long as the process,
    // because this library is never unloaded.
    unsafe { mpi::comm_create_keyval(mpi::never_copied, ending, &raw mut key, ptr::null_mut()) }?;
    // SAFETY: the communicator is alive until `MPI_Finalize`, and the key was made above.
    unsafe { mpi::comm_set_attr(abi.comm_self, key, ptr::null_mut()) }?;
    // SAFETY: the key was made above. The attribute stays when its key is freed.
    unsafe { mpi::comm_free_keyval(&raw mut key) }
}

/// Frees the exchanged world, which runs the callbacks of the attributes that the program has set
/// on it.
unsafe extern "C" fn ending(_: Handle, _: c_int, _: Address, _: Address) -> c_int {
    let Some(mut world) = world::replacement() else {
        return 0;
    };
    let freed = if keeps_attributes_of_the_world() {
        Ok(())
    } else {
        // SAFETY: `initialize::exchange` has made the communicator, and the program is ending.
        unsafe { mpi::comm_free(&raw mut world) }
    };
    world::restore();
    freed.map_or_else(|error| error.1, |()| 0)
}

/// Whether `MPI_Finalize` runs no callbacks for the attributes of `MPI_COMM_WORLD`.
fn keeps_attributes_of_the_world() -> bool {
    let version = process::library();
    let open_mpi = version.strip_prefix("Open MPI v");
    let major = open_mpi.and_then(|version| version.split('.').next()?.parse().ok());
    major.is_some_and(|major: u32| major >= 5)
}
