//! What can be wrong with a profile, a journal, a seats record or a plan.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file of ours cannot be read or written; every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The system refused to read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to write; nothing is left under the file's name that was not there
    /// before.
    #[error("cannot write {path}: {source}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The content is not what the format says.
    #[error("{path}: {fault}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },
}

/// What is wrong with the bytes themselves.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Another kind of file.
    #[error(
        "not a {0}: the first bytes are another format's, or were altered by a text-mode transfer"
    )]
    Foreign(&'static str),
    /// A later rankfold wrote it.
    #[error("format version {found} is newer than {known}, the newest known here: update rankfold")]
    Newer {
        /// Version in the file.
        found: u32,
        /// Newest version this code reads.
        known: u32,
    },
    /// An earlier rankfold wrote it, in a layout that is not read any more.
    #[error(
        "format version {found} is older than {known}, the oldest read here: profile again, or use the rankfold that wrote it"
    )]
    Older {
        /// Version in the file.
        found: u32,
        /// Oldest version this code reads.
        known: u32,
    },
    /// No rankfold wrote such a version.
    #[error(
        "format version {0} does not exist: the file is damaged; profile or copy the file again"
    )]
    NoVersion(u32),
    /// The file ends too soon.
    #[error("truncated after {0} bytes: the copy or the run that wrote it was cut short")]
    Truncated(u64),
    /// The bytes contradict their checksum or each other.
    #[error("corrupted near byte {offset}: {problem}; profile or copy the file again")]
    Corrupt {
        /// Where the damaged part starts.
        offset: u64,
        /// What contradicts what.
        problem: String,
    },
    /// A line of a text that a person may have written says nothing that can be meant.
    #[error("line {line}: {problem}")]
    Misread {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// One part of the content is beyond what a reader accepts.
    #[error("{0} does not fit the 64 MiB a section of a profile may hold")]
    TooLarge(&'static str),
    /// The system refused in the middle.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Fault {
    /// Names the file this fault was met in while reading.
    pub(crate) fn reading(self, path: &Path) -> ProfileError {
        let path = path.to_owned();
        match self {
            Self::Io(source) => ProfileError::Unreadable { path, source },
            fault => ProfileError::Damaged { path, fault },
        }
    }

    /// Names the file this fault was met in while writing.
    pub(crate) fn writing(self, path: &Path) -> ProfileError {
        let path = path.to_owned();
        let source = match self {
            Self::Io(source) => source,
            fault => io::Error::new(io::ErrorKind::InvalidData, fault.to_string()),
        };
        ProfileError::Unwritable { path, source }
    }
}
