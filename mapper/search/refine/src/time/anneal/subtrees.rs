//! Exchanges of whole subtrees: all nodes of two leaf switches, routers or groups.
//!
//! On switched machines links belong to subtrees. The place of a subtree's ranks decides with which
//! other ranks they share cables, and no exchange of single ranks leads from one arrangement of
//! subtrees to a better one.

use super::seats::{Exchange, Seats};
use rankfold_base::{Csr, NodeId};
use rankfold_machine::Machine;
use rankfold_machine::sites::{Level, Sites};
use std::collections::BTreeMap;

/// Marks a node that is in no subtree, because it takes no ranks.
const NOWHERE: u32 = u32::MAX;

/// The subtrees of a switched machine, level by level. Other machines have no levels.
pub(super) struct Subtrees {
    levels: Vec<SubtreeLevel>,
}

struct SubtreeLevel {
    /// The subtree of every node, or [`NOWHERE`].
    of_node: Vec<u32>,
    /// Usable nodes of every subtree.
    nodes: Csr<u32>,
    /// The subtrees of one shape in each row: their nodes, in order, take as many ranks.
    alike: Csr<u32>,
    /// The row of `alike` that every subtree is in.
    row: Vec<u32>,
}

impl Subtrees {
    pub(super) fn new(machine: &Machine) -> Self {
        let mut levels = Vec::new();
        if machine.is_switched() {
            let sites = Sites::new(machine);
            let inner = sites.levels().iter().filter(|level| level.groups() > 1);
            levels.extend(inner.map(|level| SubtreeLevel::new(machine, &sites, level)));
            levels.retain(|level| level.nodes.rows() < level.nodes.entries().len());
            levels.dedup_by_key(|level| level.nodes.rows());
        }
        Self { levels }
    }

    /// Whether the machine has no subtrees.
    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Writes into `exchanges` the seats of the subtree of a node, at a random level, and of a
    /// random other subtree of the same level and shape; false if none was drawn. `below` draws a
    /// number below its argument.
    pub(super) fn draw(
        &self,
        node: u32,
        seats: &Seats,
        exchanges: &mut Vec<Exchange>,
        mut below: impl FnMut(usize) -> u32,
    ) -> bool {
        let level = &self.levels[below(self.levels.len()) as usize];
        let ours = level.of_node[node as usize];
        if ours == NOWHERE {
            return false;
        }
        let alike = level.alike.row(level.row[ours as usize] as usize);
        let theirs = alike[below(alike.len()) as usize];
        if theirs == ours {
            return false;
        }
        let nodes = |subtree: u32| level.nodes.row(subtree as usize).iter();
        for (&here, &there) in nodes(ours).zip(nodes(theirs)) {
            exchanges.extend(seats.of_node(here).zip(seats.of_node(there)));
        }
        true
    }
}

impl SubtreeLevel {
    fn new(machine: &Machine, sites: &Sites, level: &Level) -> Self {
        let mut of_node = vec![NOWHERE; machine.slots().nodes()];
        let mut nodes = Csr::default();
        let mut shapes: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let mut row = Vec::new();
        for group in 0..level.groups() as u32 {
            let inside = level.sites(group).flat_map(|site| sites.nodes(site));
            let inside: Vec<u32> = inside.map(|node| node.0).collect();
            let shape = inside.iter().map(|&n| machine.slots().capacity(NodeId(n)));
            let next = shapes.len() as u32;
            row.push(*shapes.entry(shape.collect()).or_insert(next));
            for &node in &inside {
                of_node[node as usize] = group;
            }
            nodes.push_row(inside);
        }
        let members = row
            .iter()
            .zip(0..)
            .map(|(&row, group)| (row as usize, group));
        Self {
            of_node,
            nodes,
            alike: Csr::grouped(shapes.len(), members),
            row,
        }
    }
}
