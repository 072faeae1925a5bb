//! What one process of an asked launch tells.

use crate::own_ranks::tell;
use crate::traces;
use rankfold_abi::own;
use rankfold_wire::{Cores, Seat, Surroundings, variables_of_process};
use serde::{Deserialize, Serialize};
use std::env;

/// Variables in which launchers tell a process its rank.
const RANKS: [&str; 8] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "PALS_RANKID",
    "FLUX_TASK_RANK",
    "MV2_COMM_WORLD_RANK",
    "ALPS_APP_PE",
    "SLURM_PROCID",
];

/// The seat of a process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ProcessSeat {
    /// The launcher's rank of the process; `None` where the launcher does not tell it.
    pub(super) rank: Option<u32>,
    pub(super) host: String,
    pub(super) cores: Cores,
    pub(super) memory: String,
    pub(super) variables: String,
    /// The inside of the host, told by the process that is the first there.
    pub(super) inside: Option<Surroundings>,
}

impl ProcessSeat {
    pub(super) fn seat(self) -> Seat {
        Seat {
            host: self.host,
            launcher_rank: self.rank.unwrap_or_default(),
            cores: self.cores,
            memory: self.memory,
            variables: self.variables,
            ..Seat::default()
        }
    }
}

/// Tells the seat of this process.
pub(crate) fn tell_own() {
    let host = traces::host();
    let variables = variables_of_process();
    let is_first = variables
        .split(';')
        .next()
        .is_some_and(|local| local.ends_with("=0"));
    let rank = RANKS
        .iter()
        .find_map(|name| env::var(name).ok()?.parse().ok());
    tell(&ProcessSeat {
        rank,
        inside: is_first.then(|| Surroundings::of_process(&host)),
        host,
        cores: own::processors().into_iter().collect(),
        memory: own::memory_policy(),
        variables,
    });
}
