//! The host and the cores of every rank: for the launcher, which compares them with its plan, and
//! for the profile.

use rankfold_abi::{Abi, own};
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_preload::{node, process};
use rankfold_wire::{Numbers, Seat, variables_of_process, write_seats};
use std::path::Path;

/// The numbers that the launcher and the MPI library give this rank. The ranks must not be
/// renumbered. Collective.
///
/// MPI is asked by a collective that is slow where ranks outnumber cores. Where all ranks are on
/// one host for the launcher, they are so for MPI, which knows the hosts from the launcher.
pub(crate) fn numbers(own_comm: &OwnComm, abi: &Abi) -> Result<Numbers> {
    let launcher_rank = own_comm.endpoint.rank;
    if own_comm.is_one_host() {
        return Ok(Numbers {
            launcher_rank,
            shared_with: 0,
        });
    }
    let _yielding = own_comm.yield_timer();
    // SAFETY: the world is alive between `MPI_Init` and `MPI_Finalize`, and all ranks call this
    // function.
    let shared_with = unsafe { node::lowest(abi.comm_world, launcher_rank, abi) }?;
    Ok(Numbers {
        launcher_rank,
        shared_with,
    })
}

/// Gathers host and cores of all ranks, and writes them on rank 0. Collective.
pub(crate) fn record(path: &Path, host: &str, numbers: Numbers, own_comm: &OwnComm) -> Result {
    let mut seats = Vec::new();
    let own = format!(
        "{} {} {} {} {host}",
        numbers.shared_with,
        process::cores(),
        own::memory_policy(),
        variables_of_process()
    );
    own_comm.gather(own.as_bytes(), &mut |seat| {
        let seat = String::from_utf8_lossy(&seat);
        let mut words = seat.splitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        seats.push(Seat {
            launcher_rank: seats.len() as u32,
            shared_with: word().parse().unwrap_or_default(),
            cores: word().parse().unwrap_or_default(),
            memory: word().to_owned(),
            variables: word().to_owned(),
            host: word().to_owned(),
        });
    })?;
    if own_comm.endpoint.is_root()
        && let Err(error) = only_refuses(|| write_seats(path, &seats))
    {
        warn(error);
    }
    Ok(())
}
