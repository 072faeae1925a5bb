//! Mapfiles: a placement in a launcher's own syntax. One file per format, listed in [`FORMATS`].

mod blocks;
mod bluegene;
mod coordinates;
mod cray;
mod deepspeed;
mod error;
mod flux;
mod fujitsu;
mod intel;
mod json;
mod jsrun;
mod machinefile;
mod mpich;
mod mpich5;
mod nodes;
mod openmpi4;
mod openmpi5;
mod order;
mod output;
mod pals;
mod rankfile;
mod read;
mod round_robin;
mod seats;
mod seq;
mod slurm;
#[cfg(test)]
mod tests;
mod text;
mod tracer;

pub use error::MapfileError;
pub use openmpi5::han_is_right;
pub use output::{CompanionFile, Mapfile};
pub use read::{nodes_of, parse, parse_as, placement, read};
pub use seats::{RankPlaces, Seats};

use crate::machine::Machine;
use crate::placement::Placement;

/// More ranks than any job has: a file that asks for more is wrong, not large.
const MAX_RANKS: usize = 1 << 24;

/// A mapfile syntax. One file per format, listed in [`FORMATS`].
///
/// ```
/// use rankfold_model::{Machine, Placement, machine, mapfile};
///
/// let machine = Machine::uniform(machine::parse("tree:2x2")?, 1);
/// let nodes = mapfile::format("nodes")?;
/// let written = nodes.write(&Placement::block(3), &machine)?; // line r: the node of rank r
/// assert_eq!(written.content, b"0\n1\n2\n");
/// assert!(nodes.read(&written.content, "map.txt").is_some_and(|seats| seats.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MapfileFormat: Sync {
    /// The name behind `--to` and `--from`.
    fn name(&self) -> &'static str;

    /// One line: which launcher reads it, and with which flag.
    fn summary(&self) -> &'static str;

    /// Whether a file of this format names hosts.
    fn needs_hosts(&self) -> bool {
        true
    }

    /// What the names of files beside the main one may end in.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// The main file, what must lie beside it, and the line to run.
    ///
    /// # Errors
    /// [`MapfileError::NeedsHosts`], [`MapfileError::CannotExpress`].
    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile, MapfileError>;

    /// Where a file of this format puts every rank, or `None` if the content is not of this format.
    ///
    /// # Errors
    /// [`MapfileError::Malformed`] if it is, but breaks the rules; `file` is named in it.
    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats, MapfileError>>;
}

/// Every format there is, in the order in which a reader tries them: of those that look alike the
/// first is taken where the user names none.
pub const FORMATS: &[&dyn MapfileFormat] = &[
    &nodes::Nodes,
    &openmpi4::OpenMpi4,
    &openmpi5::OpenMpi5,
    &seq::Seq,
    &mpich5::Mpich5,
    &mpich::Mpich,
    &intel::Intel,
    &slurm::Slurm,
    &cray::Cray,
    &flux::Flux,
    &pals::Pals,
    &fujitsu::Fujitsu,
    &jsrun::Jsrun,
    &bluegene::BlueGene,
    &deepspeed::DeepSpeed,
    &json::Json,
    &tracer::Tracer,
];

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
