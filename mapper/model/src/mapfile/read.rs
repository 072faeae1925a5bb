//! From a mapfile of any format back to a placement.

use super::{FORMATS, MapfileError, Seats};
use crate::ids::NodeId;
use crate::machine::{Machine, hosts::UNUSABLE};
use crate::placement::Placement;
use std::collections::HashMap;
use std::path::Path;

impl Seats {
    /// Number of ranks placed.
    #[must_use]
    pub fn ranks(&self) -> usize {
        match self {
            Self::Nodes(nodes) => nodes.len(),
            Self::Hosts(hosts) => hosts.len(),
        }
    }
}

/// Reads a mapfile; its lines tell the format.
///
/// # Errors
/// [`MapfileError`], naming file and line.
pub fn read(path: &Path) -> Result<Seats, MapfileError> {
    let text = std::fs::read_to_string(path).map_err(|source| MapfileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    parse(&text, &path.to_string_lossy()).map(|(_, seats)| seats)
}

/// The name of the format `text` has, and what it says; `file` is what errors name.
///
/// # Errors
/// [`MapfileError`], naming file and line.
pub fn parse(text: &str, file: &str) -> Result<(&'static str, Seats), MapfileError> {
    FORMATS
        .iter()
        .find_map(|format| Some(format.read(text, file)?.map(|seats| (format.name(), seats))))
        .unwrap_or_else(|| Err(MapfileError::Unrecognised { file: file.into() }))
}

/// The node of every rank.
///
/// # Errors
/// [`MapfileError::Misplaced`]: the machine has no such node or host.
pub fn nodes_of(seats: &Seats, machine: &Machine, file: &str) -> Result<Vec<NodeId>, MapfileError> {
    match seats {
        Seats::Nodes(nodes) => {
            let count = machine.topology().nodes();
            match nodes.iter().position(|node| node.index() >= count) {
                None => Ok(nodes.clone()),
                Some(rank) => Err(misplaced(
                    file,
                    rank,
                    format!("node {} on a machine of {count} nodes", nodes[rank]),
                )),
            }
        }
        Seats::Hosts(hosts) => named(hosts, machine, file),
    }
}

fn named(hosts: &[String], machine: &Machine, file: &str) -> Result<Vec<NodeId>, MapfileError> {
    let names = machine.hosts().ok_or_else(|| {
        misplaced(
            file,
            0,
            "the file names hosts: pass --hosts FILE or LIST, one host per node in node order",
        )
    })?;
    let node_of: HashMap<&str, NodeId> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| *name != UNUSABLE)
        .map(|(node, name)| (name.as_str(), NodeId::at(node)))
        .collect();
    let find = |(rank, host): (usize, &String)| {
        let unknown = || misplaced(file, rank, format!("host {host} is not in --hosts"));
        node_of.get(host.as_str()).copied().ok_or_else(unknown)
    };
    hosts.iter().enumerate().map(find).collect()
}

/// The placement of `ranks` ranks that `seats` describe.
///
/// # Errors
/// [`MapfileError::WrongRanks`], [`MapfileError::Misplaced`] (also where a node overflows).
pub fn placement(
    seats: &Seats,
    machine: &Machine,
    ranks: usize,
    file: &str,
) -> Result<Placement, MapfileError> {
    if seats.ranks() != ranks {
        return Err(MapfileError::WrongRanks {
            file: file.into(),
            placed: seats.ranks(),
            ranks,
        });
    }
    let nodes = nodes_of(seats, machine, file)?;
    Placement::from_nodes(&nodes, machine.slots()).ok_or_else(|| overfull(&nodes, machine, file))
}

/// Names the first rank that found its node full.
fn overfull(nodes: &[NodeId], machine: &Machine, file: &str) -> MapfileError {
    let mut taken = vec![0; machine.slots().nodes()];
    let rank = nodes.iter().position(|node| {
        taken[node.index()] += 1;
        taken[node.index()] > machine.slots().capacity(*node)
    });
    let rank = rank.unwrap_or_default();
    let node = nodes[rank];
    let slots = machine.slots().capacity(node);
    misplaced(
        file,
        rank,
        format!("node {node} is full with {slots} ranks: raise --cores or its slots= in --hosts"),
    )
}

fn misplaced(file: &str, rank: usize, problem: impl Into<String>) -> MapfileError {
    MapfileError::Misplaced {
        file: file.into(),
        rank,
        problem: problem.into(),
    }
}
