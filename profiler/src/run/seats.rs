//! Where every rank really sits, for the launcher to compare with its plan.

use crate::gather::comm::Comm;
use crate::gather::private_comm::PrivateComm;
use crate::journal::size_limit::only_refuses;
use crate::warning::warn;
use libc::c_int;
use rankfold_abi::Abi;
use rankfold_abi::mpi::{self, Result};
use rankfold_profile::{Seat, write_seats};
use std::path::Path;

/// Collects the seats of all ranks and writes them on rank 0. Collective.
pub(crate) fn record(path: &Path, host: &str, world: Comm, abi: &Abi) -> Result {
    let shared_with = lowest_of_node(world, abi)?;
    let lowest = world.gather_values(u64::from(shared_with))?;
    let mut hosts = Vec::new();
    let private = PrivateComm::open(world)?;
    private.gather(host.as_bytes(), &mut |host| hosts.push(host))?;
    private.close()?;
    if world.is_root() {
        let seats: Vec<Seat> = hosts
            .iter()
            .zip(lowest)
            .map(|(host, lowest)| Seat {
                host: String::from_utf8_lossy(host).into_owned(),
                shared_with: u32::try_from(lowest).unwrap_or(u32::MAX),
            })
            .collect();
        if let Err(error) = only_refuses(|| write_seats(path, &seats)) {
            warn(error);
        }
    }
    Ok(())
}

/// Lowest world rank of those the MPI library lets share memory with this one.
fn lowest_of_node(world: Comm, abi: &Abi) -> Result<u32> {
    let mut comm = 0;
    let key = world.rank as c_int;
    // SAFETY: the world is alive between `MPI_Init` and `MPI_Finalize`; the new communicator is a variable on this stack.
    unsafe {
        mpi::comm_split_type(
            world.handle,
            abi.comm_type_shared,
            key,
            abi.info_null,
            &raw mut comm,
        )
    }?;
    // SAFETY: the communicator was made above and is freed below.
    let node = unsafe { Comm::new(comm, abi) };
    // The key has kept the order of the ranks, so the lowest is rank 0 of the node.
    let lowest = node.and_then(|node| node.broadcast_value(u64::from(world.rank)));
    // SAFETY: the communicator was made above, and nothing is under way on it.
    unsafe { mpi::comm_free(&raw mut comm) }?;
    Ok(u32::try_from(lowest?).unwrap_or(u32::MAX))
}
