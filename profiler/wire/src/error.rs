//! What can be wrong with a profile, a journal, a seats record or a plan.

use std::io;
use std::path::{Path, PathBuf};

/// Why one of our files cannot be read or written. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The system refused to read the file.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The system refused to write the file. A file that had this name before is unchanged.
    #[error("cannot write {path}: {source}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The content does not follow the format.
    #[error("{path}: {fault}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },
}

/// The meaning of the content of a file, or what is wrong with the content.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

/// What is wrong with the content of a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file is of another kind.
    #[error(
        "not a {0}: the first bytes are another format's, or were altered by a text-mode transfer"
    )]
    Foreign(&'static str),
    /// A later rankfold wrote the file.
    #[error("format version {found} is newer than {known}, the newest known here: update rankfold")]
    Newer {
        /// The version in the file.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// An earlier rankfold wrote the file, in a layout that is no longer read.
    #[error(
        "format version {found} is older than {known}, the oldest read here: profile again, or use the rankfold that wrote it"
    )]
    Older {
        /// The version in the file.
        found: u32,
        /// The oldest version that can be read.
        known: u32,
    },
    /// No rankfold has ever written this version.
    #[error(
        "format version {0} does not exist: the file is damaged; profile or copy the file again"
    )]
    NoVersion(u32),
    /// The file ends too early.
    #[error("truncated after {0} bytes: the copy or the run that wrote it was cut short")]
    Truncated(u64),
    /// The bytes contradict their checksum or each other.
    #[error("corrupted near byte {offset}: {problem}; profile or copy the file again")]
    Corrupt {
        /// Offset of the damaged part.
        offset: u64,
        /// The contradiction.
        problem: String,
    },
    /// The content contradicts itself or another file.
    #[error("{0}")]
    Contradicts(String),
    /// A line of a text file has no meaning.
    #[error("line {line}: {problem}")]
    Misread {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with the line.
        problem: String,
    },
    /// A part of the content is too large for a section.
    #[error("{0} does not fit the 64 MiB a section of a profile may hold")]
    TooLarge(&'static str),
    /// The system refused in the middle of reading or writing.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Fault {
    /// Adds the name of the file that was being read.
    pub(crate) fn reading(self, path: &Path) -> ProfileError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => ProfileError::Unreadable { path, source },
            fault => ProfileError::Damaged { path, fault },
        }
    }

    /// Adds the name of the file that was being written.
    pub(crate) fn writing(self, path: &Path) -> ProfileError {
        let path = path.to_owned();
        let source = match self {
            Self::Io(source) => source,
            fault => io::Error::new(io::ErrorKind::InvalidData, fault.to_string()),
        };
        ProfileError::Unwritable { path, source }
    }
}
