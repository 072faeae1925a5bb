//! Where every rank really sits: for the launcher to compare with its plan, and for the profile.

use rankfold_abi::Abi;
use rankfold_preload::gather::private::Private;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_preload::{node, process};
use rankfold_profile::{Numbers, Seat, write_seats};
use std::path::Path;

/// What the launcher and the MPI library make of this rank, which nobody has renumbered.
/// Collective.
pub(crate) fn numbers(private: &Private, abi: &Abi) -> Result<Numbers> {
    let launcher_rank = private.lane.rank;
    let _turns = private.turns();
    // SAFETY: the world is alive between `MPI_Init` and `MPI_Finalize`, and all ranks are here.
    let shared_with = unsafe { node::lowest(abi.comm_world, launcher_rank, abi) }?;
    Ok(Numbers {
        launcher_rank,
        shared_with,
    })
}

/// Collects the seats of all ranks and writes them on rank 0. Collective.
pub(crate) fn record(path: &Path, host: &str, numbers: Numbers, private: &Private) -> Result {
    let mut seats = Vec::new();
    let own = format!("{} {} {host}", numbers.shared_with, process::cores());
    private.gather(own.as_bytes(), &mut |seat| {
        let seat = String::from_utf8_lossy(&seat);
        let mut words = seat.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (lowest, cores) = (word().parse(), word().parse());
        seats.push(Seat {
            host: word().to_owned(),
            shared_with: lowest.unwrap_or_default(),
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
