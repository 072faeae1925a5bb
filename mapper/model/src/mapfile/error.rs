//! What can be wrong with a mapfile, told with the file and line or the flag.

use super::names;

/// What can be wrong with a mapfile.
#[derive(Debug, thiserror::Error)]
pub enum MapfileError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file named on the command line.
        path: std::path::PathBuf,
        /// What the system said.
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
    /// The file places another number of ranks than the job has.
    #[error("{file} places {placed} ranks, the job has {ranks}: map a profile of {ranks} ranks")]
    WrongRanks {
        /// The file as named by the user.
        file: String,
        /// Ranks in the file.
        placed: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// The format names hosts and the machine has no names.
    #[error(
        "--to {format} names hosts: pass --hosts FILE or LIST, one host per node in node order"
    )]
    NeedsHosts {
        /// The format asked for.
        format: &'static str,
    },
    /// The file does not name hosts and the launch needs their names.
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
    /// The format has further files than the one, which need a name to be named after.
    #[error("--to {format} writes more than one file: pass -o FILE")]
    NeedsName {
        /// The format asked for.
        format: &'static str,
    },
    /// No format has this name.
    #[error("{name}: no such mapfile format; known are {}", names())]
    UnknownFormat {
        /// The name as typed.
        name: String,
    },
    /// No format has such lines.
    #[error("{file}: not a mapfile of a known format ({})", names())]
    Unrecognised {
        /// The file as named by the user.
        file: String,
    },
    /// The file does not look like the format it is said to have.
    #[error("--from {format}: {file} is not of this format")]
    NotOfFormat {
        /// The format asked for.
        format: &'static str,
        /// The file as named by the user.
        file: String,
    },
    /// A rank sits where the machine has no place for it.
    #[error("{file}: rank {rank}: {problem}")]
    Misplaced {
        /// The file as named by the user.
        file: String,
        /// The first rank that is wrong.
        rank: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
}
