//! Mapfiles: a placement in a launcher's own syntax. One file per format, listed in [`FORMATS`].

mod mpich;
mod nodes;
mod openmpi4;
mod read;
mod seq;
#[cfg(test)]
mod tests;
mod text;

pub use read::{nodes_of, parse, placement, read};

use crate::ids::NodeId;
use crate::machine::Machine;
use crate::placement::Placement;

/// More ranks than any job has: a file that asks for more is wrong, not large.
const MAX_RANKS: usize = 1 << 24;

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
    /// The file names nodes and the launch needs host names.
    #[error("{file} names nodes: pass --hosts FILE or LIST, one host per node in node order")]
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
    /// No format has this name.
    #[error("--to {name}: no such format; known are {}", names())]
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

/// A mapfile syntax. One file per format, listed in [`FORMATS`].
///
/// ```
/// use rankfold_model::{Machine, Placement, machine, mapfile};
///
/// let machine = Machine::uniform(machine::parse("tree:2x2")?, 1);
/// let nodes = mapfile::format("nodes")?;
/// let text = nodes.write(&Placement::block(3), &machine)?; // line r: the node of rank r
/// assert_eq!(text, "0\n1\n2\n");
/// assert!(nodes.read(&text, "map.txt").is_some_and(|seats| seats.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MapfileFormat: Sync {
    /// The name behind `--to`.
    fn name(&self) -> &'static str;

    /// One line: which launcher reads it, and with which flag.
    fn summary(&self) -> &'static str;

    /// Whether a file of this format names hosts.
    fn needs_hosts(&self) -> bool {
        true
    }

    /// The whole file.
    ///
    /// # Errors
    /// [`MapfileError::NeedsHosts`], [`MapfileError::CannotExpress`].
    fn write(&self, placement: &Placement, machine: &Machine) -> Result<String, MapfileError>;

    /// Where a file of this format puts every rank, or `None` if the text is not of this format.
    ///
    /// # Errors
    /// [`MapfileError::Malformed`] if it is, but breaks the rules; `file` is named in it.
    fn read(&self, text: &str, file: &str) -> Option<Result<Seats, MapfileError>>;
}

/// What a mapfile says of every rank, in rank order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seats {
    /// Node indices.
    Nodes(Vec<NodeId>),
    /// Host names.
    Hosts(Vec<String>),
}

/// Every format there is, in the order in which a reader tries them.
pub const FORMATS: &[&dyn MapfileFormat] =
    &[&nodes::Nodes, &openmpi4::OpenMpi4, &mpich::Mpich, &seq::Seq];

/// The format of this name.
///
/// # Errors
/// [`MapfileError::UnknownFormat`], naming the known ones.
pub fn format(name: &str) -> Result<&'static dyn MapfileFormat, MapfileError> {
    FORMATS
        .iter()
        .copied()
        .find(|format| format.name() == name)
        .ok_or_else(|| MapfileError::UnknownFormat { name: name.into() })
}

fn names() -> String {
    let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
    names.join(", ")
}

/// The host of every rank.
fn hosts_of<'a>(
    placement: &Placement,
    machine: &'a Machine,
    format: &'static str,
) -> Result<Vec<&'a str>, MapfileError> {
    let names = machine.hosts().ok_or(MapfileError::NeedsHosts { format })?;
    let nodes = placement.nodes(machine.slots());
    Ok(nodes
        .iter()
        .map(|node| names[node.index()].as_str())
        .collect())
}
