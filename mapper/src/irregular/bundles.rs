//! Ranks bundled node by node, for papers that place one "super-process" on every node.

use crate::comm::{Affinity, CommGraph, Message};
use crate::heuristic::{NotApplicable, Problem};
use crate::ids::{NodeId, Rank};
use crate::placement::Placement;

/// Bundles of ranks, and what they send each other. A bundle is named by a [`Rank`] of its own graph.
#[derive(Debug)]
pub(super) struct Bundles {
    /// The bundle of every rank.
    of: Vec<u32>,
    /// Bytes between bundles.
    pub(super) graph: CommGraph,
    /// The same, both directions added.
    pub(super) affinity: Affinity,
    /// Nodes that can take a bundle, ascending; at least as many as bundles.
    pub(super) nodes: Vec<NodeId>,
}

impl Bundles {
    /// Bundles as large as a node.
    ///
    /// # Errors
    /// [`NotApplicable`] if usable nodes differ in capacity: the papers know equal ones only.
    pub(super) fn new(problem: &Problem<'_>) -> Result<Self, NotApplicable> {
        let slots = problem.machine.slots();
        let usable = |&node: &NodeId| slots.capacity(node) > 0;
        let nodes: Vec<NodeId> = (0..slots.nodes()).map(NodeId::at).filter(usable).collect();
        let size = nodes.first().map_or(0, |&node| slots.capacity(node));
        if nodes.iter().any(|&node| slots.capacity(node) != size) {
            return Err(NotApplicable(
                "the usable nodes differ in their number of cores".into(),
            ));
        }
        let of = match size {
            1 => (0..problem.graph.ranks() as u32).collect(),
            size => partition(problem, size as usize),
        };
        let graph = between(problem.graph, &of);
        Ok(Self {
            of,
            affinity: graph.affinity(),
            graph,
            nodes,
        })
    }

    /// Every rank on the node of its bundle.
    pub(super) fn placement(&self, node_of: &[NodeId], problem: &Problem<'_>) -> Placement {
        let nodes: Vec<NodeId> = self.of.iter().map(|&b| node_of[b as usize]).collect();
        let placement = Placement::from_nodes(&nodes, problem.machine.slots());
        placement.expect("no bundle is larger than a node")
    }
}

/// The graph of the bundles: traffic inside one is dropped.
fn between(graph: &CommGraph, of: &[u32]) -> CommGraph {
    let bundles = of.iter().max().map_or(1, |&most| most as usize + 1);
    let messages = graph.messages().map(|m| Message {
        from: Rank(of[m.from.index()]),
        to: Rank(of[m.to.index()]),
        bytes: m.bytes,
    });
    CommGraph::from_messages(bundles, messages).expect("sums of a graph's bytes fit like the graph")
}

fn partition(problem: &Problem<'_>, size: usize) -> Vec<u32> {
    (0..problem.graph.ranks())
        .map(|r| (r / size) as u32)
        .collect()
}
