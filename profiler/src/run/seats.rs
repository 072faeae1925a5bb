//! Where every rank really sits, for the launcher to compare with its plan.

use rankfold_abi::Abi;
use rankfold_preload::gather::private::Private;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_preload::{node, process};
use rankfold_profile::{Seat, write_seats};
use std::path::Path;

/// Collects the seats of all ranks and writes them on rank 0. Collective.
pub(crate) fn record(path: &Path, host: &str, private: &Private, abi: &Abi) -> Result {
    // SAFETY: the world is alive between `MPI_Init` and `MPI_Finalize`, and all ranks are here.
    let lowest = unsafe { node::lowest(abi.comm_world, private.lane.rank, abi) }?;
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
