//! Placements as mapfiles that hold an order of hosts need them: the ranks of a host stay together,
//! and only the order of the hosts is searched for.

use rankfold_base::{NodeId, Placement};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;

/// A job whose ranks fill hosts of equal size one after the other, with each host's ranks as one
/// rank.
pub struct HostOrder {
    /// Bytes between hosts. What ranks of one host send each other is left out.
    pub graph: CommGraph,
    /// The machine with one slot on each node that the job can use.
    pub machine: Machine,
    /// Number of ranks of the job.
    ranks: usize,
    /// Ranks on a host; the last one may have fewer.
    each: usize,
}

impl HostOrder {
    /// `None` if usable nodes differ in slots or have one slot each.
    pub(super) fn of(graph: &CommGraph, machine: &Machine) -> Option<Self> {
        let slots = machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let capacities: Vec<u32> = nodes.map(|node| slots.capacity(node)).collect();
        let each = capacities.iter().copied().max().filter(|&most| most > 1)?;
        let is_equal = capacities.iter().all(|&it| it == 0 || it == each);
        is_equal.then(|| Self::with_ranks(graph, machine, each))
    }

    /// The same with `each` ranks on a host. Nodes with fewer slots are not used.
    #[must_use]
    pub fn with_ranks(graph: &CommGraph, machine: &Machine, each: u32) -> Self {
        let slots = machine.slots();
        let nodes = (0..slots.nodes()).map(NodeId::at);
        let capacities: Vec<u32> = nodes
            .map(|node| u32::from(slots.capacity(node) >= each))
            .collect();
        let host: Vec<u32> = (0..graph.ranks() as u32).map(|rank| rank / each).collect();
        Self {
            graph: graph.contracted(&host),
            machine: machine.with_slots(&capacities),
            ranks: graph.ranks(),
            each: each as usize,
        }
    }

    /// The placement of the ranks on `machine`, from the placement of hosts.
    pub(super) fn of_ranks(&self, hosts: &Placement, machine: &Machine) -> Placement {
        let hosts = hosts.nodes(self.machine.slots());
        let nodes: Vec<NodeId> = (0..self.ranks)
            .map(|rank| hosts[rank / self.each])
            .collect();
        Placement::from_nodes(&nodes, machine.slots()).expect("every host has as many slots")
    }

    /// What the user is told.
    pub(super) fn note(&self, format: &str) -> String {
        format!(
            "{format} holds an order of hosts: {} ranks in a row stay on one host, and figures are of the bytes between hosts",
            self.each
        )
    }
}
