//! Mapfiles: placements in the syntax of launchers. Every format has a file of its own and is
//! listed in [`FORMATS`].
#![forbid(unsafe_code)]

/// States the name of a member and what it is, in one line, as the methods `name` and `summary`.
macro_rules! described {
    ($name:literal, $summary:literal) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn summary(&self) -> &'static str {
            $summary
        }
    };
}

mod blocks;
mod bluegene;
mod coordinates;
mod cray;
mod deepspeed;
mod error;
mod flux;
mod fujitsu;
mod host_runs;
mod intel;
mod jax;
mod json;
mod jsrun;
mod machinefile;
mod mpi_operator;
mod mpich;
mod mpich5;
mod nodes;
mod openfoam;
mod openmpi4;
mod openmpi5;
mod order;
mod output;
mod pals;
mod partition;
mod process_table;
mod rankfile;
mod read;
mod round_robin;
mod seats;
mod seq;
mod slurm;
#[cfg(test)]
mod tests;
mod text;
mod torch;
mod torchrun;
mod tracer;

pub use error::{MapfileError, Result};
pub use json::JsonMapfile;
pub use openmpi5::han_is_right;
pub use output::{CompanionFile, Mapfile};
pub use read::{nodes_of, parse, parse_as, placement, read};
pub use seats::{RankPlaces, Seats};

use rankfold_base::Placement;
use rankfold_machine::Machine;

/// Most ranks in a mapfile. A file that asks for more is treated as broken. Sixteen times the
/// million ranks that the benchmarks reach; chosen by hand.
const MAX_RANKS: usize = 1 << 24;

/// A mapfile syntax. Every format has a file of its own and is listed in [`FORMATS`].
///
/// ```
/// use rankfold_machine::{Machine, self as machine};
/// use rankfold_base::Placement;
/// use rankfold_mapfile as mapfile;
///
/// let machine = Machine::uniform(machine::parse("tree:2x2")?, 1);
/// let nodes = mapfile::format("nodes")?;
/// let written = nodes.write(&Placement::block(3), &machine)?; // line r: the node of rank r
/// assert_eq!(written.content, b"0\n1\n2\n");
/// assert!(nodes.read(&written.content, "map.txt").is_some_and(|seats| seats.is_ok()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MapfileFormat: Sync {
    /// Name for `--to` and `--from`.
    fn name(&self) -> &'static str;

    /// One line for the help text: the launcher that reads the file, and the flag to use.
    fn summary(&self) -> &'static str;

    /// Whether a file of this format contains host names.
    fn needs_hosts(&self) -> bool {
        true
    }

    /// Whether a file of this format holds an order of hosts alone, so that the ranks of a host are
    /// consecutive.
    fn holds_host_order(&self) -> bool {
        false
    }

    /// Endings of companion files, appended to the name of the main file.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the main file, its companion files, and the command line to run.
    ///
    /// # Errors
    /// [`MapfileError::NeedsHosts`], [`MapfileError::CannotExpress`].
    fn write(&self, placement: &Placement, machine: &Machine) -> Result<Mapfile>;

    /// Reads the place of every rank. `None` if the content is not of this format.
    ///
    /// # Errors
    /// [`MapfileError::Malformed`] if the content has this format but breaks its rules. The error
    /// names `file`.
    fn read(&self, content: &[u8], file: &str) -> Option<Result<Seats>>;
}

/// All formats, in the order in which a reader tries them. If several formats match and the user
/// names none, the first is used.
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
    &torchrun::Torchrun,
    &torch::Torch,
    &jax::Jax,
    &mpi_operator::MpiOperator,
    &json::Json,
    &tracer::Tracer,
    &openfoam::OpenFoam,
    &partition::Partition,
];

/// The format with this name.
///
/// # Errors
/// [`MapfileError::UnknownFormat`], naming the known formats.
pub fn format(name: &str) -> Result<&'static dyn MapfileFormat> {
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
