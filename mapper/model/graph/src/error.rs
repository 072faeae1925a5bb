//! Errors of communication graphs and of the files that hold them.

use rankfold_base::words::did_you_mean;
use std::path::{Path, PathBuf};

/// What is read of a file with communication, or what is wrong with the file.
pub type Result<T, E = CommError> = std::result::Result<T, E>;

/// What is wrong with a communication graph or its file.
#[derive(Debug, thiserror::Error)]
pub enum CommError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The system's reason.
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
        /// What is wrong and how to correct it.
        problem: String,
    },
    /// The contents of the file cannot be used.
    #[error("{path}: {problem}")]
    Refused {
        /// The file named on the command line.
        path: PathBuf,
        /// What is wrong and how to correct it.
        problem: String,
    },
    /// The profile does not decode.
    #[error(transparent)]
    Profile(#[from] rankfold_wire::ProfileError),
    /// No reader knows the file.
    #[error(
        "{path}: nothing reads this file; it seems to be {seems}\nrankfold convert --help lists what can be read"
    )]
    Unrecognised {
        /// The file named on the command line.
        path: PathBuf,
        /// What the file seems to be.
        seems: String,
    },
    /// No writer handles files with this ending.
    #[error("{path}: no writer for this ending; there are {known}")]
    UnknownFormat {
        /// The file named on the command line.
        path: PathBuf,
        /// The known endings.
        known: String,
    },
    /// A message names a rank outside the world.
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
    /// The run has no phase of this name.
    #[error(
        "--phase {name}: no such phase{}; {}",
        meant(name, known),
        phases(known)
    )]
    NoPhase {
        /// The name on the command line.
        name: String,
        /// The phases of the run.
        known: Vec<String>,
    },
    /// The profile does not hold what the MPI library sent inside collectives.
    #[error(
        "--collectives measured: the profile does not hold what the MPI library sent inside \
         collectives; rankfold profile --collectives measured records it under Open MPI"
    )]
    NotMeasured,
    /// No ranks at all.
    #[error("the communication matrix is empty (0 ranks): profile a run with at least one rank")]
    Empty,
}

impl CommError {
    /// An error of the system on a file.
    pub fn unreadable(path: &Path, source: std::io::Error) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            source,
        }
    }

    /// What is wrong in a line of a file, counted from 1.
    pub fn malformed(path: &Path, line: usize, problem: impl Into<String>) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            line,
            problem: problem.into(),
        }
    }

    /// Why the contents of a file cannot be used.
    pub fn unusable(path: &Path, problem: impl Into<String>) -> Self {
        Self::Refused {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }

    /// Wraps an error so that it names the file that was read.
    pub fn refused(path: &Path, error: &Self) -> Self {
        Self::unusable(path, error.to_string())
    }
}

fn meant(name: &str, known: &[String]) -> String {
    did_you_mean(name, known.iter().map(String::as_str))
}

fn phases(known: &[String]) -> String {
    if known.is_empty() {
        "the program named no phases with MPI_Pcontrol".into()
    } else {
        format!("its phases are {}", known.join(", "))
    }
}

/// Why communication data cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The format cannot hold the data.
    #[error("{0}")]
    Refused(String),
    /// The system reported an error.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
