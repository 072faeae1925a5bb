//! The ranks on every node, and how many ranks every node takes.

use crate::links::Relocation;
use rankfold_base::{NodeId, Slots};

/// The ranks on every node, and how many ranks every node takes.
pub(super) struct Occupants {
    /// The ranks on every node, those that moved there last at the end.
    ranks: Vec<Vec<u32>>,
    capacity: Vec<u32>,
}

impl Occupants {
    pub(super) fn new(slots: &Slots, node_of: &[u32]) -> Self {
        let mut ranks = vec![Vec::new(); slots.nodes()];
        for (rank, &node) in (0..).zip(node_of) {
            ranks[node as usize].push(rank);
        }
        let nodes = (0..slots.nodes()).map(NodeId::at);
        Self {
            ranks,
            capacity: nodes.map(|node| slots.capacity(node)).collect(),
        }
    }

    /// The ranks on a node.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        &self.ranks[node as usize]
    }

    /// The number of ranks that a node takes.
    pub(super) fn capacity(&self, node: u32) -> u32 {
        self.capacity[node as usize]
    }

    pub(super) fn relocate(&mut self, relocations: &[Relocation]) {
        for &Relocation { rank, from, to } in relocations {
            self.ranks[from as usize].retain(|&other| other != rank);
            self.ranks[to as usize].push(rank);
        }
    }

    /// Takes relocations back. The ranks return to the end of their nodes' lists.
    pub(super) fn take_back(&mut self, relocations: &[Relocation]) {
        for &relocation in relocations {
            self.relocate(&[relocation.reversed()]);
        }
    }
}
