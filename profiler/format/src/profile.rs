//! A profile in memory: what a run was, and what every rank sent to whom.

use crate::error::{Fault, ProfileError};
use crate::{encoding, replace_with};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// What was run, and how it ended.
    pub manifest: Manifest,
    /// What every rank sent; entry r belongs to rank r.
    pub rows: Vec<Row>,
}

/// What was run, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program, as the profiled ranks were started.
    pub program: String,
    /// First line of the MPI library's own version string.
    pub mpi: String,
    /// Host of every rank, as `gethostname` said; empty where unknown.
    pub hosts: Vec<String>,
    /// How the run ended.
    pub outcome: Outcome,
}

/// How a profiled run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Every rank reached `MPI_Finalize`: the rows are complete.
    #[default]
    Finalized,
    /// Put together from the journals ranks left behind.
    Recovered {
        /// Ranks whose journal was not found; their rows are empty.
        missing: Vec<u32>,
    },
}

/// What one rank sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Receivers, ascending by rank.
    pub peers: Vec<Peer>,
}

/// What one rank sent to one other over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The receiver, a rank of `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Payload bytes.
    pub bytes: u64,
    /// Messages, those of zero bytes included.
    pub messages: u64,
}

impl Profile {
    /// Reads a `.rfp` file.
    ///
    /// # Errors
    /// [`ProfileError`], naming the file.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let file = File::open(path).map_err(|source| Fault::from(source).reading(path))?;
        encoding::decode(BufReader::new(file)).map_err(|fault| fault.reading(path))
    }

    /// Writes a `.rfp` file, whole or not at all. Peers must ascend within a row and hosts be none or one a rank,
    /// or [`Profile::read`] will refuse the file.
    ///
    /// # Errors
    /// [`ProfileError::Unwritable`]; what was under `path` is untouched then.
    pub fn write(&self, path: &Path) -> Result<(), ProfileError> {
        replace_with(path, |out| encoding::encode(self, out))
            .map_err(|fault: Fault| fault.writing(path))
    }
}
