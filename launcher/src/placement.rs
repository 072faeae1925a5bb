//! On which host every rank is planned to run, and whether it does.

use rankfold_mapper::cli;
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::error::Error;
use rankfold_model::machine::hosts::UNUSABLE;
use rankfold_model::mapfile::{self, MapfileError, Places, Seats};
use rankfold_profile::Seat;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The host of every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) hosts: Vec<String>,
    /// The mapfile itself, if it is a rankfile of Open MPI: it also binds ranks to cores, and so is passed on as it is.
    pub(crate) rankfile: Option<PathBuf>,
    /// Whether ranks of one host have cores in common: Open MPI 5 refuses such a rankfile.
    pub(crate) shares_cores: bool,
}

impl Plan {
    /// Reads a mapfile of the format named, or of the one its lines tell. One that does not name hosts needs
    /// `--hosts`.
    pub(crate) fn read(path: &Path, from: Option<&str>, nodes: &NodeArgs) -> Result<Self, Error> {
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
        let rankfile = format.starts_with("openmpi") && binds(&content, &seats);
        Ok(Self {
            shares_cores: shares_cores(&hosts, &seats.cores),
            hosts,
            rankfile: rankfile.then(|| path.to_owned()),
        })
    }
}

impl Plan {
    /// The hosts in the order in which the ranks first use them, each with its ranks.
    pub(crate) fn by_host(&self) -> Vec<(&str, Vec<usize>)> {
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

/// The host of every rank: as the file names them, or by way of `--hosts`.
fn hosts_of(seats: &Seats, nodes: &NodeArgs, file: &str) -> Result<Vec<String>, Error> {
    if let Places::Hosts(hosts) = &seats.places {
        return Ok(hosts.clone());
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

/// Whether a rankfile names hosts and gives every rank its cores; another one is no better than a list of hosts.
fn binds(content: &[u8], seats: &Seats) -> bool {
    let text = String::from_utf8_lossy(content);
    let bound = text.matches("slot").count() >= seats.ranks();
    bound && matches!(seats.places, Places::Hosts(_))
}

/// Whether two ranks of a host may have a core in common, as far as the file tells.
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

/// The host names of `nodes`, one a rank.
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

/// The first thing that is not as planned.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Mismatch {
    #[error("{planned} ranks were planned, {seated} ran")]
    Ranks { planned: usize, seated: usize },
    #[error("rank {rank} should be on {planned} and is on {actual}")]
    Host {
        rank: usize,
        planned: String,
        actual: String,
    },
    #[error("rank {rank} is on {host} as planned, but the MPI library {} rank {planned} there", belief(*.rank, *.actual))]
    Group {
        rank: usize,
        host: String,
        /// Lowest rank on the host.
        planned: usize,
        /// Lowest rank of the group.
        actual: u32,
    },
}

/// The part of the message that tells what the MPI library did: `rank` is alone, or in the group of rank `actual`.
fn belief(rank: usize, actual: u32) -> String {
    if rank == actual as usize {
        "does not let it share memory with".into()
    } else {
        format!("lets it share memory with rank {actual} instead of")
    }
}

/// Compares hosts, then shared-memory groups: all ranks of one host should be one group, named after its lowest rank.
pub(crate) fn verify(planned: &[String], seats: &[Seat]) -> Result<(), Mismatch> {
    if planned.len() != seats.len() {
        return Err(Mismatch::Ranks {
            planned: planned.len(),
            seated: seats.len(),
        });
    }
    for (rank, (planned, seat)) in planned.iter().zip(seats).enumerate() {
        if canonical(planned) != canonical(&seat.host) {
            return Err(Mismatch::Host {
                rank,
                planned: planned.clone(),
                actual: seat.host.clone(),
            });
        }
    }
    let mut lowest = HashMap::new();
    for (rank, seat) in seats.iter().enumerate() {
        let planned = *lowest.entry(canonical(&seat.host)).or_insert(rank);
        if seat.shared_with as usize != planned {
            return Err(Mismatch::Group {
                rank,
                host: seat.host.clone(),
                planned,
                actual: seat.shared_with,
            });
        }
    }
    Ok(())
}

/// The form in which host names are compared: without the domain, since launchers and hosts disagree on it, and in
/// lower case. `localhost` is the launching host; an address stays as it is.
fn canonical(host: &str) -> String {
    if host == "localhost" {
        let own = rustix::system::uname();
        return canonical_name(&own.nodename().to_string_lossy());
    }
    canonical_name(host)
}

fn canonical_name(host: &str) -> String {
    short_name(host).to_ascii_lowercase()
}

/// A host's name without its domain; an address as it is.
pub(crate) fn short_name(host: &str) -> String {
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host.to_owned();
    }
    host.split('.').next().unwrap_or(host).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(hosts: &[(&str, u32)]) -> Vec<Seat> {
        hosts
            .iter()
            .zip(0..)
            .map(|(&(host, shared_with), launcher_rank)| Seat {
                host: host.into(),
                shared_with,
                launcher_rank,
                cores: rankfold_profile::Cores::default(),
            })
            .collect()
    }

    fn plan() -> Vec<String> {
        ["n0", "n1.site", "n0"].map(String::from).into()
    }

    #[test]
    fn hosts_are_compared_by_their_short_names() {
        assert_eq!(
            verify(&plan(), &seats(&[("n0.site", 0), ("N1", 1), ("n0", 0)])),
            Ok(())
        );
    }

    #[test]
    fn the_first_rank_on_another_host_is_named() {
        let found = verify(&plan(), &seats(&[("n0", 0), ("n0", 0), ("n1", 2)])).unwrap_err();
        assert_eq!(
            found.to_string(),
            "rank 1 should be on n1.site and is on n0"
        );
    }

    #[test]
    fn a_split_or_merged_shared_memory_group_is_no_verified_placement() {
        let split = verify(&plan(), &seats(&[("n0", 0), ("n1", 1), ("n0", 2)])).unwrap_err();
        assert!(matches!(
            split,
            Mismatch::Group {
                rank: 2,
                planned: 0,
                actual: 2,
                ..
            }
        ));
        let merged = verify(&plan(), &seats(&[("n0", 0), ("n1", 0), ("n0", 0)])).unwrap_err();
        assert!(matches!(
            merged,
            Mismatch::Group {
                rank: 1,
                planned: 1,
                actual: 0,
                ..
            }
        ));
    }

    #[test]
    fn another_number_of_ranks_is_told() {
        let found = verify(&plan(), &seats(&[("n0", 0)])).unwrap_err();
        assert_eq!(found.to_string(), "3 ranks were planned, 1 ran");
    }

    #[test]
    fn a_nodes_file_takes_its_names_from_the_host_list() {
        let scratch = tempfile::tempdir().unwrap();
        let map = scratch.path().join("map");
        std::fs::write(&map, "1\n0\n").unwrap();
        let read = |from, hosts: Option<&str>| {
            let nodes = NodeArgs {
                cores: None,
                node: None,
                hosts: hosts.map(str::to_owned),
            };
            Plan::read(&map, from, &nodes)
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
            let nodes = NodeArgs {
                cores: None,
                node: None,
                hosts: None,
            };
            let plan = Plan::read(&map, None, &nodes).unwrap();
            (plan.rankfile.is_some(), plan.shares_cores)
        };
        let own = "rank 0=a slot=0-1\nrank 1=a slot=2-3\nrank 2=b slot=0:*\n";
        assert_eq!(read(own), (true, false));
        assert_eq!(read("rank 0=a slot=0-1\nrank 1=a slot=0-1\n"), (true, true));
        assert_eq!(read("rank 0=a slot=0:*\nrank 1=a slot=0:*\n"), (true, true));
        assert_eq!(read("rank 0=a\nrank 1=b\n"), (false, false));
    }
}
