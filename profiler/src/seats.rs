//! Where every rank really sits, for the launcher to compare with its plan.

use crate::gather::World;
use crate::note::note;
use crate::size_limit::only_refuses;
use libc::c_int;
use rankfold_abi::Abi;
use rankfold_abi::mpi::{self, Result};
use rankfold_profile::{Seat, write_seats};
use std::path::Path;

/// Collects the seats of all ranks and writes them on rank 0. Collective.
pub(crate) fn record(path: &Path, host: &str, world: World, abi: &Abi) -> Result {
    let shared_with = lowest_of_node(world, abi)?;
    let lowest = world.collect(u64::from(shared_with))?;
    let hosts = world.gather(host.as_bytes())?;
    if world.root() {
        let seats: Vec<Seat> = hosts
            .iter()
            .zip(lowest)
            .map(|(host, lowest)| Seat {
                host: String::from_utf8_lossy(host).into_owned(),
                shared_with: u32::try_from(lowest).unwrap_or(u32::MAX),
            })
            .collect();
        if let Err(error) = only_refuses(|| write_seats(path, &seats)) {
            note(error);
        }
    }
    Ok(())
}

/// Lowest world rank of those the MPI library lets share memory with this one.
fn lowest_of_node(world: World, abi: &Abi) -> Result<u32> {
    let mut comm = 0;
    let key = world.rank as c_int;
    // SAFETY: the world lives; the key orders the new ranks as in the world.
    unsafe {
        mpi::comm_split_type(
            world.comm,
            abi.comm_type_shared,
            key,
            abi.info_null,
            &raw mut comm,
        )
    }?;
    let lowest = World::new(comm, abi).and_then(|node| node.share(u64::from(world.rank)));
    // SAFETY: made above.
    unsafe { mpi::comm_free(&raw mut comm) }?;
    Ok(u32::try_from(lowest?).unwrap_or(u32::MAX))
}
