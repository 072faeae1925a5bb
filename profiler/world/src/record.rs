//! Writes the seats record: the host, the cores and both numbers of every rank.

use crate::order::Process;
use rankfold_abi::{Abi, Handle};
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::node;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_wire::{Seat, Seats, write_seats};
use std::path::Path;

/// Writes the seats record in the process that the launcher calls rank 0. `comm` is the
/// communicator that the program uses as its world. `order` holds the process of each rank.
/// `processes` describes the processes, where this process knows them. Collective.
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
    // SAFETY: the communicator is alive between `MPI_Init` and `MPI_Finalize`, and all its ranks
    // call this function.
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
            memory: process.memory.clone(),
            variables: process.variables.clone(),
        })
    };
    let seats: Seats = order.iter().filter_map(seat).collect();
    if let Err(error) = only_refuses(|| write_seats(path, &seats)) {
        warn(error);
    }
    Ok(())
}
