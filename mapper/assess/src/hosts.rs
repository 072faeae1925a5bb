//! Cases of hosts: the ranks of a host stay together, and only the order of the hosts is free.
//!
//! Some launchers start one process a host, which starts the ranks there, and some mapfiles hold an
//! order of hosts and nothing else. A search then moves hosts. What it finds is a placement of
//! ranks again, and its figures are those of the ranks.

use rankfold_base::{NodeId, Placement};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;

/// A case with each host's ranks as one rank.
#[derive(Debug)]
pub struct HostCase {
    /// Bytes between hosts. What ranks of one host send each other is left out.
    pub graph: CommGraph,
    /// The machine with one slot on each node that a host's ranks fit.
    pub machine: Machine,
    /// Number of ranks of the job.
    ranks: usize,
    /// Ranks on a host; the last one may have fewer.
    each: usize,
}

impl HostCase {
    /// Hosts with `each` ranks on each. Nodes with fewer slots are not used.
    #[must_use]
    pub fn of(graph: &CommGraph, machine: &Machine, each: u32) -> Self {
        let slots = machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let capacities: Vec<u32> = nodes
            .map(|node| u32::from(slots.capacity(node) >= each))
            .collect();
        let ranks = graph.ranks();
        let host: Vec<u32> = (0..ranks as u32).map(|rank| rank / each).collect();
        Self {
            graph: graph.contracted(&host),
            machine: machine.with_slots(&capacities),
            ranks,
            each: each as usize,
        }
    }

    /// The placement of the ranks, from one of the hosts.
    #[must_use]
    pub fn of_ranks(&self, hosts: &Placement, machine: &Machine) -> Placement {
        let hosts = hosts.nodes(self.machine.slots());
        let nodes: Vec<NodeId> = (0..self.ranks)
            .map(|rank| hosts[rank / self.each])
            .collect();
        let placed = Placement::from_nodes(&nodes, machine.slots());
        placed.expect("every host that is used has enough slots")
    }
}

/// Hosts filled in order with `each` of so many ranks.
pub(crate) fn block(ranks: usize, machine: &Machine, each: u32) -> Placement {
    let slots = machine.slots();
    let nodes = machine.launch_order().into_iter();
    let fit = nodes.filter(|&node| slots.capacity(node) >= each);
    let nodes: Vec<NodeId> = fit
        .flat_map(|node| std::iter::repeat_n(node, each as usize))
        .take(ranks)
        .collect();
    let placed = Placement::from_nodes(&nodes, slots);
    placed.unwrap_or_else(|| machine.block_order(ranks))
}
