//! `rankfold mapfile`: converts a placement from one launcher's syntax to another's.

use super::document::Document;
use super::options::{NodeArgs, mapfile_formats};
use super::write_mapfile;
use crate::error::Error;
use rankfold_base::NodeId;
use rankfold_machine::{HostList, Machine};
use rankfold_mapfile::{
    self as mapfile, JsonMapfile, MapfileError, MapfileFormat, RankPlaces, Seats,
};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  rankfold mapfile app.map --to slurm -o hosts
  rankfold mapfile MPICH_RANK_ORDER --from cray --cores 64 --to nodes";

/// `rankfold mapfile`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// The mapfile to convert
    #[arg(value_name = "MAP")]
    map: PathBuf,
    /// Format of MAP [default: recognised from its lines; a file with one number a line is read as
    /// nodes, with one host name a line as seq]
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true)]
    from: Option<String>,
    /// Format to write (all: rankfold help mapfiles)
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true)]
    to: String,
    /// The machine, for formats that hold coordinates [default: a network without distances with as
    /// many nodes as --hosts or MAP has]
    #[arg(long, value_name = "SPEC|FILE")]
    machine: Option<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Where to write the mapfile; the command line that uses it then goes to stdout [default: the
    /// mapfile goes to stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Document for JsonMapfile {
    const NAME: &'static str = "mapfile";
    const VERSION: u32 = Self::VERSION;
    const SUMMARY: &'static str =
        "map and mapfile --to json: slot, node, host and cores of every rank";
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let to = mapfile::format(&args.to).map_err(Error::from)?;
    let from = from(args.from.as_deref())?;
    write_mapfile::check(to, args.output.as_deref())?;
    let file = args.map.to_string_lossy();
    let seats = mapfile::read(&args.map, from).map_err(Error::from)?;
    let machine = match &args.machine {
        Some(spec) => args.nodes.build(spec)?,
        None => flat(&seats, &args.nodes, &file)?,
    };
    let placement =
        mapfile::placement(&seats, &machine, seats.ranks(), &file).map_err(Error::from)?;
    let mapfile = to.write(&placement, &machine).map_err(Error::from)?;
    match &args.output {
        Some(path) => {
            write!(
                std::io::stdout(),
                "{}",
                write_mapfile::write(&mapfile, path)?
            )?;
        }
        None => write_mapfile::to_stdout(to, &mapfile)?,
    }
    Ok(())
}

/// The format named by `--from`.
///
/// # Errors
/// [`MapfileError::UnknownFormat`].
pub fn from(name: Option<&str>) -> Result<Option<&'static dyn MapfileFormat>, Error> {
    Ok(name.map(mapfile::format).transpose()?)
}

/// A machine that has the nodes of a mapfile and no distances between them. The nodes are those of
/// `--hosts`; without `--hosts`, those that the file mentions, named ones in order of appearance.
///
/// # Errors
/// [`Error::Machine`]; [`Error::Mapfile`] where the file alone does not say which nodes there are.
pub fn flat(seats: &Seats, args: &NodeArgs, file: &str) -> Result<Machine, Error> {
    let mut args = args.clone();
    let nodes = match (&args.hosts, &seats.places) {
        (Some(hosts), _) => HostList::parse(hosts)?.names().len(),
        (None, RankPlaces::Hosts(hosts)) => {
            let names = distinct(hosts);
            args.hosts = Some(names.join(","));
            names.len()
        }
        (None, RankPlaces::Nodes(nodes)) => count(nodes.iter().map(|node| node.index())),
        (None, RankPlaces::Allocated(indices)) => count(indices.iter().copied()),
        (None, RankPlaces::Slots(slots)) => {
            let cores = args.cores.ok_or_else(|| needs_nodes(file))? as usize;
            count(slots.iter().map(|slot| slot.index() / cores))
        }
        (None, RankPlaces::InOrder(places)) => {
            let cores = args.cores.ok_or_else(|| needs_nodes(file))? as usize;
            count(places.iter().map(|&place| place as usize / cores))
        }
        (None, RankPlaces::Coordinates(_) | RankPlaces::RoundRobin(_)) => {
            return Err(needs_nodes(file));
        }
    };
    let spec = format!("tree:{nodes}");
    if args.cores.is_none() {
        args.cores = Some(fullest(seats, nodes, &args, &spec, file)?);
    }
    args.build(&spec)
}

/// The largest number of ranks on one node. The machine then has that many slots on each node.
fn fullest(
    seats: &Seats,
    nodes: usize,
    args: &NodeArgs,
    spec: &str,
    file: &str,
) -> Result<u32, Error> {
    if let RankPlaces::Slots(_) | RankPlaces::InOrder(_) = seats.places {
        // A rank order fills all nodes with equally many ranks.
        return Ok(u32::try_from(seats.ranks().div_ceil(nodes)).unwrap_or(u32::MAX));
    }
    let of_rank = mapfile::nodes_of(seats, &args.build(spec)?, file)?;
    let mut ranks = vec![0; nodes];
    for node in of_rank.iter().map(|node: &NodeId| node.index()) {
        ranks[node] += 1;
    }
    Ok(ranks.into_iter().max().unwrap_or(1).max(1))
}

/// One more than the largest index.
fn count(indices: impl Iterator<Item = usize>) -> usize {
    indices.max().map_or(1, |last| last + 1)
}

fn distinct(hosts: &[Arc<str>]) -> Vec<&str> {
    let mut seen = std::collections::HashSet::new();
    let names = hosts.iter().map(AsRef::as_ref);
    names.filter(|&name| seen.insert(name)).collect()
}

fn needs_nodes(file: &str) -> Error {
    Error::Mapfile(MapfileError::Malformed {
        file: file.into(),
        line: 1,
        problem: "the file does not say which nodes there are: pass --hosts, --cores or --machine"
            .into(),
    })
}

/// The mapfile format of the launcher that comes with an MPI library, by the library's own version
/// string; `None` where the string names no library whose launcher takes a mapfile.
#[must_use]
pub(super) fn of_mpi(version: &str) -> Option<&'static str> {
    const FORMATS: &[(&str, &str)] = &[
        ("Open MPI v4", "openmpi4"),
        ("Open MPI v5", "openmpi5"),
        ("Open MPI 4", "openmpi4"),
        ("Open MPI 5", "openmpi5"),
        ("Intel(R) MPI", "intel"),
        ("MPICH Version:      5", "mpich5"),
        ("MPICH Version", "mpich"),
    ];
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let version = squeezed(version);
    let found = FORMATS
        .iter()
        .find(|(start, _)| version.contains(&squeezed(start)));
    found.map(|(_, format)| *format)
}
