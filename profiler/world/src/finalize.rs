//! The exchanged world ends with MPI: in a callback of `MPI_COMM_SELF`.
//!
//! `MPI_Finalize` deletes the attributes of `MPI_COMM_SELF` before anything else, the last one set
//! first (MPI 4.0, section 11.4.3), and ours is set right after `MPI_Init`. So whatever the program
//! does in callbacks of its own sees the world it knows.
//!
//! Then the exchanged world is freed, which runs the callbacks of attributes that the program has
//! set on it, as MPI does with those of its own world. Open MPI since version 5 does not; there the
//! exchanged world stays.

use crate::world;
use libc::c_int;
use rankfold_abi::mpi::{self, Result};
use rankfold_abi::{Abi, Address, Handle};
use rankfold_preload::process;
use std::ptr;

/// Sets the attribute.
pub(crate) fn prepare(abi: &Abi) -> Result {
    let mut key = 0;
    // SAFETY: the callbacks have the types MPI asks for and live as long as the process, as this
    // library is never unloaded.
    unsafe { mpi::comm_create_keyval(mpi::never_copied, ending, &raw mut key, ptr::null_mut()) }?;
    // SAFETY: the communicator is alive until `MPI_Finalize`, and the key was made above.
    unsafe { mpi::comm_set_attr(abi.comm_self, key, ptr::null_mut()) }?;
    // SAFETY: the key was made above; the attribute outlives it.
    unsafe { mpi::comm_free_keyval(&raw mut key) }
}

/// Frees the exchanged world, which runs the callbacks of the attributes that the program has set
/// on it.
unsafe extern "C" fn ending(_: Handle, _: c_int, _: Address, _: Address) -> c_int {
    let Some(mut world) = world::meant() else {
        return 0;
    };
    let freed = if keeps_attributes_of_the_world() {
        Ok(())
    } else {
        // SAFETY: the communicator was made by `begin`, and the program ends.
        unsafe { mpi::comm_free(&raw mut world) }
    };
    world::restore();
    freed.map_or_else(|error| error.1, |()| 0)
}

/// Whether `MPI_Finalize` leaves the attributes of `MPI_COMM_WORLD` as they are, without their
/// callbacks.
fn keeps_attributes_of_the_world() -> bool {
    let version = process::library();
    let open_mpi = version.strip_prefix("Open MPI v");
    let major = open_mpi.and_then(|version| version.split('.').next()?.parse().ok());
    major.is_some_and(|major: u32| major >= 5)
}
