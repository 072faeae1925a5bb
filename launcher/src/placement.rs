//! On which host every rank is planned to run, and whether it does.

use rankfold_mapper::error::Error;
use rankfold_model::machine::hosts::{HostList, UNUSABLE};
use rankfold_model::mapfile::{self, MapfileError, Seats};
use rankfold_profile::Seat;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The host of every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) hosts: Vec<String>,
    /// The mapfile itself, if it is an Open MPI 4 rankfile: it also binds ranks to cores, and so is passed on as it is.
    pub(crate) rankfile: Option<PathBuf>,
}

impl Plan {
    /// Reads a mapfile. One that numbers nodes needs `hosts`, their names.
    pub(crate) fn read(path: &Path, hosts: Option<&str>) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|source| MapfileError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let file = path.to_string_lossy();
        let (format, seats) = mapfile::parse(&text, &file)?;
        let hosts = match seats {
            Seats::Hosts(hosts) => hosts,
            Seats::Nodes(nodes) => {
                let hosts = hosts.ok_or(MapfileError::NeedsNames { file: file.into() })?;
                let hosts = HostList::parse(hosts)?;
                let names: Vec<&str> = hosts.names().collect();
                let nodes = nodes.iter().map(|node| node.index());
                named(nodes, &names, &path.to_string_lossy())?
            }
        };
        Ok(Self {
            hosts,
            rankfile: (format == "openmpi4").then(|| path.to_owned()),
        })
    }
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
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host.to_owned();
    }
    let short = host.split('.').next().unwrap_or(host);
    short.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(hosts: &[(&str, u32)]) -> Vec<Seat> {
        hosts
            .iter()
            .map(|&(host, shared_with)| Seat {
                host: host.into(),
                shared_with,
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
        let read = Plan::read(&map, Some("a,b")).unwrap();
        assert_eq!(read.hosts, ["b", "a"]);
        assert_eq!(read.rankfile, None);
        let error = Plan::read(&map, Some("a,-")).unwrap_err().to_string();
        assert!(
            error.contains("rank 0: --hosts has no host for node 1"),
            "{error}"
        );
        let error = Plan::read(&map, None).unwrap_err().to_string();
        assert!(error.contains("--hosts"), "{error}");
    }
}
