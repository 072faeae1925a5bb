//! Errors of mapfiles. They name the file and line, or the flag.

use super::names;

/// What is read of a mapfile or written to one, or what is wrong with it.
pub type Result<T, E = MapfileError> = std::result::Result<T, E>;

/// What is wrong with a mapfile.
#[derive(Debug, thiserror::Error)]
pub enum MapfileError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file named on the command line.
        path: std::path::PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A line breaks the format.
    #[error("{file}:{line}: {problem}")]
    Malformed {
        /// The file as named by the user.
        file: String,
        /// 1-based line number.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The number of ranks in the file differs from that of the job.
    #[error("{file} places {placed} ranks, the job has {ranks}: map a profile of {ranks} ranks")]
    WrongRanks {
        /// The file as named by the user.
        file: String,
        /// Ranks in the file.
        placed: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// The format needs host names, and the machine has none.
    #[error(
        "--to {format} names hosts: pass --hosts FILE or LIST, one host per node in node order"
    )]
    NeedsHosts {
        /// The format asked for.
        format: &'static str,
    },
    /// The launch needs host names, and the file has none.
    #[error("{file} names no hosts: pass --hosts FILE or LIST, one host per node in node order")]
    NeedsNames {
        /// The file as named by the user.
        file: String,
    },
    /// The format cannot express this placement.
    #[error("--to {format}: {problem}")]
    CannotExpress {
        /// The format asked for.
        format: &'static str,
        /// Why not, and which format can.
        problem: String,
    },
    /// The format writes several files, whose names are derived from that of the main file, but the
    /// main file goes to standard output.
    #[error("--to {format} writes more than one file: pass -o FILE")]
    NeedsName {
        /// The format asked for.
        format: &'static str,
    },
    /// No format has this name.
    #[error("{name}: no such mapfile format; known formats are {}", names())]
    UnknownFormat {
        /// The name as typed.
        name: String,
    },
    /// The file has none of the known formats.
    #[error(
        "{file}: not a mapfile of a known format; it seems to be {seems}\nrankfold map makes one from a profile; rankfold help mapfiles lists the formats"
    )]
    Unrecognised {
        /// The file as named by the user.
        file: String,
        /// What the file seems to be.
        seems: String,
    },
    /// The file does not have the format that the user named.
    #[error("--from {format}: {file} is not of this format")]
    NotOfFormat {
        /// The format asked for.
        format: &'static str,
        /// The file as named by the user.
        file: String,
    },
    /// The machine has no place where the file puts a rank.
    #[error("{file}: rank {rank}: {problem}")]
    Misplaced {
        /// The file as named by the user.
        file: String,
        /// The first rank that is wrong.
        rank: usize,
        /// What is wrong and how to correct it.
        problem: String,
    },
}

impl MapfileError {
    pub(crate) fn cannot_express(format: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::CannotExpress { format, problem }
    }
}
