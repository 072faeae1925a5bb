//! Where every rank really sits, for the launcher to compare with its plan.

use super::process;
use crate::gather::private::Private;
use crate::gather::wait::Result;
use crate::journal::size_limit::only_refuses;
use crate::objects::world;
use crate::warning::warn;
use libc::c_int;
use rankfold_abi::mpi;
use rankfold_abi::{Abi, Handle};
use rankfold_profile::{Seat, write_seats};
use std::path::Path;

/// Collects the seats of all ranks and writes them on rank 0. Collective.
pub(crate) fn record(path: &Path, host: &str, private: &Private, abi: &Abi) -> Result {
    let lowest = lowest_of_node(private.lane.rank, abi)?;
    let mut seats = Vec::new();
    let own = format!("{lowest} {} {host}", process::cores());
    private.gather(own.as_bytes(), &mut |seat| {
        let seat = String::from_utf8_lossy(&seat);
        let mut words = seat.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (lowest, cores) = (word().parse(), word().parse());
        seats.push(Seat {
            host: word().to_owned(),
            shared_with: lowest.unwrap_or_default(),
            // Renumbered ranks are recorded by the library that has renumbered them.
            launcher_rank: seats.len() as u32,
            cores: cores.unwrap_or_default(),
        });
    })?;
    if private.lane.is_root()
        && let Err(error) = only_refuses(|| write_seats(path, &seats))
    {
        warn(error);
    }
    Ok(())
}

/// Lowest world rank of those the MPI library lets share memory with this one, which is `rank`.
fn lowest_of_node(rank: u32, abi: &Abi) -> Result<u32> {
    let mut node = 0;
    let key = rank as c_int;
    // SAFETY: the world is alive between `MPI_Init` and `MPI_Finalize`; the new communicator is a variable on this stack.
    unsafe {
        mpi::comm_split_type(
            abi.comm_world,
            abi.comm_type_shared,
            key,
            abi.info_null,
            &raw mut node,
        )
    }?;
    // The key has kept the order of the ranks, so the lowest is rank 0 of the node.
    let lowest = world_rank_of_first(node, abi);
    // SAFETY: the communicator was made above, and nothing is under way on it.
    unsafe { mpi::comm_free(&raw mut node) }?;
    lowest
}

/// World rank of rank 0 of `node`, a communicator that is alive. Local.
fn world_rank_of_first(node: Handle, abi: &Abi) -> Result<u32> {
    let (mut group, rank, mut found) = (0, 0, 0);
    // SAFETY: the caller vouches for the communicator.
    unsafe { mpi::comm_group(node, &raw mut group) }?;
    world::with_group(abi, |all| {
        // SAFETY: the group was made above and has a rank 0, and `with_group` passes that of the world.
        unsafe { mpi::group_translate_ranks(group, 1, &raw const rank, all, &raw mut found) }
    })?;
    // SAFETY: the group was made above, and nobody has kept it.
    unsafe { mpi::group_free(&raw mut group) }?;
    Ok(u32::try_from(found).unwrap_or(u32::MAX))
}
