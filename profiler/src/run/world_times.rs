//! What collectives take on the world and on a renumbered one, for the launcher.

use rankfold_abi::Abi;
use rankfold_preload::gather::own_comm::OwnComm;
use rankfold_preload::gather::wait::Result;
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_preload::{process, world_times};
use rankfold_wire::write_world_times;
use std::path::Path;

/// Times the collectives, and writes the record on rank 0. Collective.
pub(super) fn record(path: &Path, own_comm: &OwnComm, abi: &Abi) -> Result {
    let Some(times) = world_times::measure(own_comm, abi, process::library())? else {
        return Ok(());
    };
    if own_comm.endpoint.is_root()
        && let Err(error) = only_refuses(|| write_world_times(path, &times))
    {
        warn(error);
    }
    Ok(())
}
