//! Where every rank really is, in both numberings.

use crate::order::Process;
use rankfold_abi::{Abi, Handle};
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::node;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_profile::{Seat, Seats, write_seats};
use std::path::Path;

/// Writes the seats record in the process that the launcher calls rank 0. `comm` is what the
/// program calls its world, `order` tells the process of each rank, and `processes` what that is,
/// where this process knows it. Collective.
pub(crate) fn write(
    path: &Path,
    all: &OwnComm,
    comm: Handle,
    order: &[u32],
    processes: &[Process],
    abi: &Abi,
) -> Result {
    let place = order
        .iter()
        .position(|&process| process == all.endpoint.rank);
    let rank = place.unwrap_or_default() as u32;
    let turns = all.yield_timer();
    // SAFETY: the communicator is alive between `MPI_Init` and `MPI_Finalize`, and all ranks are
    // here.
    let lowest = unsafe { node::lowest(comm, rank, abi) }?;
    drop(turns);
    let mut shared = Vec::new();
    all.gather(&lowest.to_le_bytes(), &mut |bytes| {
        let lowest = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        shared.push(lowest.unwrap_or(u32::MAX));
    })?;
    if !all.endpoint.is_root() {
        return Ok(());
    }
    let seat = |&launcher_rank: &u32| {
        let process = processes.get(launcher_rank as usize)?;
        Some(Seat {
            host: process.host.clone(),
            shared_with: *shared.get(launcher_rank as usize)?,
            launcher_rank,
            cores: process.cores.clone(),
        })
    };
    let seats: Seats = order.iter().filter_map(seat).collect();
    if let Err(error) = only_refuses(|| write_seats(path, &seats)) {
        warn(error);
    }
    Ok(())
}
