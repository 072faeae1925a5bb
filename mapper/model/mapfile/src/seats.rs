//! The information that a mapfile gives for every rank.

use super::round_robin::RoundRobin;
use super::{MapfileError, Result};
use rankfold_base::{NodeId, SlotId};
use rankfold_machine::Machine;
use rankfold_machine::hosts::UNUSABLE;
use std::collections::HashMap;
use std::sync::Arc;

/// The information that a mapfile gives for every rank, in rank order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seats {
    /// The places of the ranks.
    pub places: RankPlaces,
    /// First core of every rank, counted within its node. `None` for a rank without binding. Empty
    /// if the file has no cores.
    pub cores: Vec<Option<u32>>,
}

/// Places of all ranks, in the terms that a format uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankPlaces {
    /// Node indices.
    Nodes(Vec<NodeId>),
    /// Indices among the nodes that the job may use.
    Allocated(Vec<usize>),
    /// Host names. Ranks of the same line share one string, since a line may stand for millions of
    /// ranks.
    Hosts(Vec<Arc<str>>),
    /// Coordinates on a grid. An additional last number is the place on the node.
    Coordinates(Vec<Vec<u32>>),
    /// Slots, numbered node by node.
    Slots(Vec<SlotId>),
    /// Places in the order in which a launch fills them.
    InOrder(Vec<u32>),
    /// Slots, numbered switch by switch and within a switch round-robin over its nodes.
    RoundRobin(Vec<u32>),
}

impl From<RankPlaces> for Seats {
    fn from(places: RankPlaces) -> Self {
        Self {
            places,
            cores: Vec::new(),
        }
    }
}

/// A node, and the place on the node if the file gives it.
pub(super) type Seat = (NodeId, Option<u32>);

impl Seats {
    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        match &self.places {
            RankPlaces::Nodes(nodes) => nodes.len(),
            RankPlaces::Allocated(indices) => indices.len(),
            RankPlaces::Hosts(hosts) => hosts.len(),
            RankPlaces::Coordinates(points) => points.len(),
            RankPlaces::Slots(slots) => slots.len(),
            RankPlaces::InOrder(places) => places.len(),
            RankPlaces::RoundRobin(places) => places.len(),
        }
    }

    /// The seat of every rank on `machine`.
    pub(super) fn on(&self, machine: &Machine, file: &str) -> Result<Vec<Seat>> {
        let find: Box<dyn Fn(usize) -> Result<Seat, String>> = match &self.places {
            RankPlaces::Nodes(nodes) => Box::new(|rank| node(nodes[rank], machine)),
            RankPlaces::Allocated(indices) => {
                let allocated = machine.launch_order();
                Box::new(move |rank| nth(indices[rank], &allocated))
            }
            RankPlaces::Hosts(hosts) => {
                let node_of = names(machine).map_err(|problem| misplaced(file, 0, problem))?;
                Box::new(move |rank| named(&hosts[rank], &node_of))
            }
            RankPlaces::Coordinates(points) => Box::new(|rank| point(&points[rank], machine)),
            RankPlaces::Slots(slots) => Box::new(|rank| slot(slots[rank], machine)),
            RankPlaces::InOrder(places) => {
                let filled = machine.block_order(machine.slots().len());
                // Beyond the last place `slot` tells what is wrong.
                let at = move |place: u32| {
                    let found = filled.slots().get(place as usize).copied();
                    found.unwrap_or(SlotId(place))
                };
                Box::new(move |rank| slot(at(places[rank]), machine))
            }
            RankPlaces::RoundRobin(places) => {
                let alike = RoundRobin::on(machine)
                    .ok_or("the nodes of the machine have different numbers of slots");
                let turns = alike.map_err(|problem| misplaced(file, 0, problem))?;
                Box::new(move |rank| slot(SlotId(turns.slot(places[rank])), machine))
            }
        };
        let seat = |rank| find(rank).map_err(|problem| misplaced(file, rank, problem));
        (0..self.ranks()).map(seat).collect()
    }
}

fn node(node: NodeId, machine: &Machine) -> Result<Seat, String> {
    let count = machine.topology().nodes();
    if node.index() < count {
        Ok((node, None))
    } else {
        Err(format!("node {node} on a machine of {count} nodes"))
    }
}

fn nth(index: usize, allocated: &[NodeId]) -> Result<Seat, String> {
    let count = allocated.len();
    match allocated.get(index) {
        Some(&node) => Ok((node, None)),
        None => Err(format!(
            "host number {index} (counted from 0), but the job may use only {count} nodes"
        )),
    }
}

/// The node of every host name.
fn names(machine: &Machine) -> Result<HashMap<&str, NodeId>, &'static str> {
    let names = machine.hosts().ok_or(
        "the file names hosts: pass --hosts FILE or LIST, one host per node in node order",
    )?;
    let nodes = names.iter().enumerate();
    let usable = nodes.filter(|(_, name)| *name != UNUSABLE);
    Ok(usable
        .map(|(node, name)| (name.as_str(), NodeId::at(node)))
        .collect())
}

fn named(host: &str, node_of: &HashMap<&str, NodeId>) -> Result<Seat, String> {
    match node_of.get(host) {
        Some(&node) => Ok((node, None)),
        None => Err(format!("host {host} is not in --hosts")),
    }
}

fn point(at: &[u32], machine: &Machine) -> Result<Seat, String> {
    let shown = super::output::joined(at, ",");
    let grid = machine.topology().structure().grid().ok_or_else(|| {
        format!("({shown}) are coordinates: pass the torus or mesh they are on with --machine")
    })?;
    let dims = grid.dims();
    let within = match at.len().checked_sub(dims.len()) {
        Some(0) => None,
        Some(1) => at.last().copied(),
        _ => {
            return Err(format!(
                "({shown}) on a machine of {} dimensions",
                dims.len()
            ));
        }
    };
    let at: Vec<usize> = at[..dims.len()].iter().map(|&x| x as usize).collect();
    if at.iter().zip(dims).all(|(x, extent)| x < extent) {
        Ok((grid.node_at(&at), within))
    } else {
        Err(format!(
            "({shown}) is outside {}",
            machine.topology().spec()
        ))
    }
}

fn slot(slot: SlotId, machine: &Machine) -> Result<Seat, String> {
    let slots = machine.slots();
    if slot.index() >= slots.len() {
        let count = slots.len();
        return Err(format!(
            "place {}, but the machine has only {count} places: raise --cores or name more --hosts",
            slot.index() + 1
        ));
    }
    let node = slots.node_of(slot);
    let first = slots.on(node).next().map_or(0, |first| first.0);
    Ok((node, Some(slot.0 - first)))
}

pub(super) fn misplaced(file: &str, rank: usize, problem: impl Into<String>) -> MapfileError {
    MapfileError::Misplaced {
        file: file.into(),
        rank,
        problem: problem.into(),
    }
}
