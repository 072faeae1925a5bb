//! `map --mpi`: several processes that map together (feature `mpi`).
//!
//! All of them run the same search on the same input, which the first one reads and sends to the
//! others; what does not depend on each other is dealt out ([`rankfold_search::team`]). The first
//! one writes the results and tells the user.

#[cfg(feature = "mpi")]
mod fingerprint;
mod input;
#[cfg(feature = "mpi")]
mod world;

#[cfg(not(feature = "mpi"))]
use crate::error::Error;
pub(crate) use input::{Copies, Sharing, shared};
use rankfold_search::team::{Alone, Team};
use serde::Serialize;

/// The processes of one call of `map`.
pub(crate) trait Processes: Team {
    /// What the first process has to say, on all of them.
    fn broadcast(&self, first: Option<Vec<u8>>) -> Vec<u8>;

    /// What each process did, in their order, on all of them; nothing where there is one only.
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "without MPI there is one process")
)]
pub struct Usage {
    /// Seconds of processor time in units that were dealt to it.
    pub dealt_seconds: f64,
    /// Bytes it sent in exchanges of results, once for each of the others.
    pub sent_bytes: u64,
    /// Exchanges of results.
    pub exchanges: u64,
}

/// The processes that MPI started, or this one by itself.
///
/// # Errors
/// [`Error::Processes`]: this program cannot do that, or the processes do not fit together.
#[cfg(feature = "mpi")]
pub(crate) fn processes(mpi: bool) -> anyhow::Result<Box<dyn Processes>> {
    if mpi {
        Ok(Box::new(world::World::start()?))
    } else {
        Ok(Box::new(Alone))
    }
}

/// The processes that MPI started, or this one by itself.
///
/// # Errors
/// [`Error::Processes`]: this program cannot do that.
#[cfg(not(feature = "mpi"))]
pub(crate) fn processes(mpi: bool) -> anyhow::Result<Box<dyn Processes>> {
    if mpi {
        Err(Error::Processes(
            "this program was built without MPI; one with it comes from `cargo build --release --package rankfold-mapper --features mpi`, for the MPI whose mpicc the variable MPICC names".into(),
        )
        .into())
    } else {
        Ok(Box::new(Alone))
    }
}

/// Another process, the first one, has told the user what is wrong.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the first process has told what is wrong")]
pub(crate) struct ToldElsewhere;
