//! Communication graphs: directed bytes between ranks, and the files they come from.

mod graph;
pub mod mtx;
pub mod rfp;

use std::path::{Path, PathBuf};

pub use graph::{Affinity, CommGraph, Message};

/// What can be wrong with a communication graph or the file that should hold one.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file named on the command line.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line of a text file breaks its format.
    #[error("{path}:{line}: {problem}")]
    Malformed {
        /// The file named on the command line.
        path: PathBuf,
        /// 1-based line number.
        line: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The profile does not decode.
    #[error(transparent)]
    Profile(#[from] rankfold_profile::ProfileError),
    /// No reader takes a file of this name.
    #[error("{path}: no reader for this kind of file; known are {known}")]
    UnknownFormat {
        /// The file named on the command line.
        path: PathBuf,
        /// The endings that can be read.
        known: String,
    },
    /// A message names a rank beyond the world.
    #[error("a message from rank {from} to rank {to} in a world of {ranks} ranks")]
    RankOutOfRange {
        /// Sender.
        from: u32,
        /// Receiver.
        to: u32,
        /// World size.
        ranks: usize,
    },
    /// The bytes between one pair of ranks do not fit 64 bits.
    #[error("the bytes from rank {0} to rank {1} exceed 2^64: scale the matrix down")]
    Overflow(u32, u32),
    /// The bytes of all pairs together do not fit 63 bits.
    #[error("all bytes together exceed 2^63: scale the matrix down")]
    TooManyBytes,
    /// No ranks at all.
    #[error("the communication matrix is empty (0 ranks): profile a run with at least one rank")]
    Empty,
}

/// A file format communication graphs are read from. One file per format, listed in [`READERS`].
#[derive(Debug)]
pub struct Reader {
    /// The ending of the file name, without the dot.
    pub ending: &'static str,
    /// One line: what such a file is.
    pub summary: &'static str,
    /// Reads one file; every error names it.
    pub read: fn(&Path) -> Result<CommGraph, CommError>,
}

/// Every format there is.
pub const READERS: &[Reader] = &[rfp::READER, mtx::READER];

/// Reads a communication graph; the ending of the name tells the format.
///
/// # Errors
/// [`CommError`], always naming the file.
pub fn read(path: &Path) -> Result<CommGraph, CommError> {
    let ending = path.extension().and_then(|e| e.to_str());
    match READERS.iter().find(|r| Some(r.ending) == ending) {
        Some(reader) => (reader.read)(path),
        None => Err(CommError::UnknownFormat {
            path: path.to_owned(),
            known: READERS
                .iter()
                .map(|r| format!(".{} ({})", r.ending, r.summary))
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}
