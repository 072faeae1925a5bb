//! The variables in which launchers tell a process its rank: programs may read them after
//! `MPI_Init`, where they were asked to hold the new rank. Those that tell a rank on the node stay
//! right.

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

/// Writes the rank in `world` into those that are set.
pub(crate) fn rewrite(world: Handle) -> Result {
    let mut rank = 0;
    // SAFETY: the communicator is alive, and the rank is a variable on this stack.
    unsafe { mpi::comm_rank(world, &raw mut rank) }?;
    let Ok(value) = CString::new(rank.to_string()) else {
        return Ok(());
    };
    for name in NAMES {
        // SAFETY: the name ends with a NUL. No other thread of the program's runs yet that changes
        // the environment: it is in `MPI_Init`.
        let set = unsafe { libc::getenv(name.as_ptr()) };
        if !set.is_null() {
            // SAFETY: as above; both strings end with a NUL and are copied.
            unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
        }
    }
    Ok(())
}
