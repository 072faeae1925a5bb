//! The environment variables in which launchers give a process its rank. If the user has asked for
//! it, they hold the new rank after `MPI_Init`. Variables that hold the rank on the node stay
//! correct, so they are not changed.

use rankfold_abi::Handle;
use rankfold_abi::mpi::{self, Result};
use std::ffi::{CStr, CString};

const NAMES: [&CStr; 5] = [
    c"OMPI_COMM_WORLD_RANK",
    c"PMI_RANK",
    c"PMIX_RANK",
    c"SLURM_PROCID",
    c"FLUX_TASK_RANK",
];

/// Writes the rank in `world` into those of the variables that are set.
pub(crate) fn rewrite(world: Handle) -> Result {
    let mut rank = 0;
    // SAFETY: the communicator is alive, and the rank is a variable on this stack.
    unsafe { mpi::comm_rank(world, &raw mut rank) }?;
    let Ok(value) = CString::new(rank.to_string()) else {
        return Ok(());
    };
    for name in NAMES {
        // SAFETY: the name ends with a NUL. The program is in `MPI_Init`, so none of its threads
        // changes the environment yet.
        let set = unsafe { libc::getenv(name.as_ptr()) };
        if !set.is_null() {
            // SAFETY: both strings end with a NUL and are copied. The program is in `MPI_Init`, so
            // none of its threads uses the environment yet.
            unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
        }
    }
    Ok(())
}
