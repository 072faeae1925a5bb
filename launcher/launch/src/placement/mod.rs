//! Plans that give every rank a host, and the comparison of a run with its plan.

mod core_places;
mod cores;
mod launched;
mod names;
mod rankfile;
mod unplanned;
mod verify;

pub use cores::RankCores;
pub use launched::{KnownBy, LaunchedSeats};
pub use names::{canonical, short_name};
pub use unplanned::unplanned;
pub use verify::{Mismatch, accept, verify};

use rankfold_machine::hosts::UNUSABLE;
use rankfold_mapfile::{self as mapfile, MapfileError, RankPlaces, Seats};
use rankfold_mapper::cli;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_wire::env;
use rankfold_wire::plan::{InvalidPlan, PlannedRank, RenumberingPlan};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A plan: the host of every rank, and its cores where they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementPlan {
    /// The host of every rank.
    pub hosts: Vec<String>,
    /// The mapfile itself, if it is a rankfile of Open MPI. Since it also binds ranks to cores, it
    /// is passed on unchanged.
    pub rankfile: Option<PathBuf>,
    /// Whether two ranks of a host have a core in common. Open MPI 5 refuses such a rankfile.
    pub shares_cores: bool,
    /// The cores of every rank.
    pub cores: RankCores,
    /// Whether the job may get other hosts than these: a batch system chooses them when it starts
    /// the job, and a list of hosts would make the job wait until these are free.
    pub hosts_are_open: bool,
}

impl PlacementPlan {
    /// Reads a mapfile in the format `from`, or else in the format that its lines fit. A mapfile
    /// without host names needs `--hosts`.
    pub fn read(path: &Path, from: Option<&str>, nodes: &NodeArgs) -> Result<Self, Error> {
        let content = std::fs::read(path).map_err(|source| MapfileError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let file = path.to_string_lossy();
        let (format, seats) = match cli::mapfile::from(from)? {
            Some(format) => (format.name(), mapfile::parse_as(format, &content, &file)?),
            None => mapfile::parse(&content, &file)?,
        };
        let hosts = hosts_of(&seats, nodes, &file)?;
        let text = String::from_utf8_lossy(&content);
        rankfile::check_cores(&text, &hosts, &file)?;
        let rankfile = format.starts_with("openmpi") && rankfile::binds(&text, &seats);
        Ok(Self {
            shares_cores: shares_cores(&hosts, &seats.cores),
            hosts_are_open: false,
            hosts,
            rankfile: rankfile.then(|| path.to_owned()),
            cores: RankCores::default(),
        })
    }
}

impl PlacementPlan {
    /// The hosts of the plan, each once.
    pub fn names(&self) -> Vec<String> {
        let hosts = self.by_host().into_iter();
        hosts.map(|(host, _)| host.to_owned()).collect()
    }

    /// Whether the ranks of every host are consecutive.
    pub fn is_in_blocks(&self) -> bool {
        self.hosts.chunk_by(|a, b| a == b).count() == self.by_host().len()
    }

    /// This plan in the form that the renumbering library reads.
    ///
    /// # Errors
    /// A host has a name that this form cannot hold.
    pub fn renumbering(&self) -> Result<RenumberingPlan, InvalidPlan> {
        let mut host_of = vec![0; self.hosts.len()];
        let mut names = Vec::new();
        for (number, (host, ranks)) in self.by_host().into_iter().enumerate() {
            names.push(Some(host.to_owned()));
            for rank in ranks {
                host_of[rank] = u32::try_from(number).unwrap_or(u32::MAX);
            }
        }
        let mut ranks: Vec<PlannedRank> = host_of.into_iter().map(PlannedRank::on).collect();
        for (rank, cores) in ranks.iter_mut().zip(&self.cores.numbers) {
            rank.cores.clone_from(cores);
        }
        RenumberingPlan::new(names, ranks)
    }

    /// The host of every rank in a plan that the ranks have made themselves; `None` where there is
    /// no such plan beside the seats record.
    pub fn solved_anew(seats: &Path) -> Option<Vec<String>> {
        let plan = RenumberingPlan::read(&env::solved(seats)?).ok()?;
        let RenumberingPlan::Seats(seating) = plan else {
            return None;
        };
        let host = |rank: &PlannedRank| seating.hosts()[rank.host as usize].clone();
        seating.ranks().iter().map(host).collect()
    }

    /// The hosts in the order in which the ranks first use them, each with its ranks.
    pub fn by_host(&self) -> Vec<(&str, Vec<usize>)> {
        let mut order: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut found = HashMap::new();
        for (rank, host) in self.hosts.iter().enumerate() {
            let at = *found.entry(host).or_insert(order.len());
            if at == order.len() {
                order.push((host, Vec::new()));
            }
            order[at].1.push(rank);
        }
        order
    }
}

/// The host of every rank, from the mapfile or else from `--hosts`.
fn hosts_of(seats: &Seats, nodes: &NodeArgs, file: &str) -> Result<Vec<String>, Error> {
    if let RankPlaces::Hosts(hosts) = &seats.places {
        return Ok(hosts.iter().map(ToString::to_string).collect());
    }
    let names = nodes.hosts.as_ref();
    names.ok_or(MapfileError::NeedsNames { file: file.into() })?;
    let machine = cli::mapfile::flat(seats, nodes, file)?;
    let names: Vec<&str> = machine
        .hosts()
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let of_rank = mapfile::nodes_of(seats, &machine, file).map_err(|error| match error {
        MapfileError::Misplaced {
            file,
            rank,
            problem,
        } => MapfileError::Misplaced {
            file,
            rank,
            problem: format!("{problem}; --hosts has {}", names.len()),
        },
        other => other,
    })?;
    named(of_rank.iter().map(|node| node.index()), &names, file).map_err(Error::from)
}

/// Whether two ranks of a host have a core in common, or may have one since their cores are
/// unknown.
fn shares_cores(hosts: &[String], cores: &[Option<u32>]) -> bool {
    let mut of_host: HashMap<&str, Vec<Option<u32>>> = HashMap::new();
    for (host, core) in hosts.iter().zip(cores) {
        of_host.entry(host).or_default().push(*core);
    }
    of_host.into_values().any(|mut cores| {
        cores.sort_unstable();
        let unknown = cores.len() > 1 && cores[0].is_none();
        unknown || cores.windows(2).any(|pair| pair[0] == pair[1])
    })
}

/// The host names of the ranks' `nodes`.
///
/// # Errors
/// A node has no name in `--hosts`.
fn named(
    nodes: impl Iterator<Item = usize>,
    names: &[&str],
    file: &str,
) -> Result<Vec<String>, MapfileError> {
    let name = |(rank, node): (usize, usize)| match names.get(node) {
        Some(&name) if name != UNUSABLE => Ok(name.to_owned()),
        _ => Err(MapfileError::Misplaced {
            file: file.into(),
            rank,
            problem: format!("--hosts has no host for node {node}"),
        }),
    };
    nodes.enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nodes_file_takes_its_names_from_the_host_list() {
        let scratch = tempfile::tempdir().unwrap();
        let map = scratch.path().join("map");
        std::fs::write(&map, "1\n0\n").unwrap();
        let read = |from, hosts: Option<&str>| {
            let nodes = NodeArgs {
                hosts: hosts.map(str::to_owned),
                ..NodeArgs::default()
            };
            PlacementPlan::read(&map, from, &nodes)
        };
        let plan = read(None, Some("a,b")).unwrap();
        assert_eq!(plan.hosts, ["b", "a"]);
        assert_eq!(plan.rankfile, None);
        let order = read(Some("cray"), Some("a,b")).unwrap();
        assert_eq!(order.hosts, ["b", "a"], "rank 1 fills the first host");
        let error = read(None, Some("a,-")).unwrap_err().to_string();
        assert!(
            error.contains("rank 0: --hosts has no host for node 1"),
            "{error}"
        );
        let error = read(None, None).unwrap_err().to_string();
        assert!(error.contains("--hosts"), "{error}");
    }

    #[test]
    fn a_rankfile_is_handed_on_where_it_binds_and_open_mpi_5_hears_of_shared_cores() {
        let scratch = tempfile::tempdir().unwrap();
        let map = scratch.path().join("map");
        let read = |text: &str| {
            std::fs::write(&map, text).unwrap();
            let nodes = NodeArgs::default();
            let plan = PlacementPlan::read(&map, None, &nodes).unwrap();
            (plan.rankfile.is_some(), plan.shares_cores)
        };
        let own = "rank 0=a slot=0-1\nrank 1=a slot=2-3\nrank 2=b slot=0:*\n";
        assert_eq!(read(own), (true, false));
        assert_eq!(read("rank 0=a slot=0-1\nrank 1=a slot=0-1\n"), (true, true));
        assert_eq!(read("rank 0=a slot=0:*\nrank 1=a slot=0:*\n"), (true, true));
        assert_eq!(read("rank 0=a\nrank 1=b\n"), (false, false));
        assert_eq!(read("rank 0=a slot=1\nrank 1=b slot=1\n"), (true, false));
    }
}
