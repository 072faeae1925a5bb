//! `map --mpi`: several processes that search together (feature `mpi`).
//!
//! Every process runs the same search on the same input, which the first process reads and sends to
//! the others. Independent pieces of work are distributed over the processes
//! ([`rankfold_problem::team`]). The first process writes the results and all messages.

#[cfg(feature = "mpi")]
mod fingerprint;
mod input;
#[cfg(feature = "mpi")]
mod world;

#[cfg(not(feature = "mpi"))]
use crate::error::Error;
pub(crate) use input::{FileCopies, MachineFiles, shared};
use rankfold_problem::team::{Alone, Team};
use schemars::JsonSchema;
use serde::Serialize;

/// The processes that take part in one call of `map`.
pub(crate) trait Processes: Team {
    /// Sends `first` from the first process to all; every process returns it.
    fn broadcast(&self, first: Option<Vec<u8>>) -> Vec<u8>;

    /// What each process did, by number of the process; `None` if there is one process only. Every
    /// process must call this.
    fn usage(&self) -> Option<Vec<Usage>>;
}

impl Processes for Alone {
    fn broadcast(&self, first: Option<Vec<u8>>) -> Vec<u8> {
        first.unwrap_or_default()
    }

    fn usage(&self) -> Option<Vec<Usage>> {
        None
    }
}

/// What one process did. The field names are keys of `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "without MPI there is one process")
)]
pub struct Usage {
    /// Seconds of processor time this process spent on work distributed to it.
    pub dealt_seconds: f64,
    /// Bytes this process sent when results were exchanged, counted once for each receiver.
    pub sent_bytes: u64,
    /// Number of exchanges of results.
    pub exchanges: u64,
}

/// The processes that MPI started, or this process alone.
///
/// # Errors
/// [`Error::Processes`]: MPI cannot be used in this way, or the processes do not run the same
/// command.
#[cfg(feature = "mpi")]
pub(crate) fn processes(mpi: bool) -> anyhow::Result<Box<dyn Processes>> {
    if mpi {
        Ok(Box::new(world::World::start()?))
    } else {
        Ok(Box::new(Alone))
    }
}

/// The processes that MPI started, or this process alone.
///
/// # Errors
/// [`Error::Processes`]: this program was built without MPI.
#[cfg(not(feature = "mpi"))]
pub(crate) fn processes(mpi: bool) -> anyhow::Result<Box<dyn Processes>> {
    if mpi {
        Err(Error::Processes(
            "this program was built without MPI; to use it, build with `cargo build --release --package rankfold-mapper --features mpi`, where the variable MPICC names the mpicc of the MPI to use".into(),
        )
        .into())
    } else {
        Ok(Box::new(Alone))
    }
}

/// The error on every process but the first if the first one has failed. The first process reports
/// the cause; the others print nothing.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the first process has reported the error")]
pub(crate) struct ReportedElsewhere;
