//! Ranks bundled node by node, for papers that place one "super-process" on every node.
//!
//! The papers leave the bundling to METIS or Scotch and mend what is too large afterwards; here every cut is exact.

use crate::heuristic::{NotApplicable, Problem};
use crate::irregular::exact_bisector::{ExactBisector, exactly};
use crate::weights::Weights;
use rankfold_model::comm::{Affinity, CommGraph, Message};
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::placement::Placement;

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

/// The bundle of every rank, bundles of `size` ranks by recursive bisection; the last one may be smaller.
fn partition(problem: &Problem<'_>, size: usize) -> Vec<u32> {
    let weights = Weights::new(problem.affinity, 1);
    let mut bisector = ExactBisector::new(&weights, problem.seed);
    let mut of = vec![0; weights.len()];
    let mut bundles = 0;
    let mut open = vec![(0..weights.len() as u32).collect::<Vec<_>>()];
    while let Some(members) = open.pop() {
        if members.len() > size {
            let left = members.len().div_ceil(size).div_ceil(2) * size;
            open.extend(bisector.halve(&members, exactly(left)).into_iter().rev());
            continue;
        }
        for member in members {
            of[member as usize] = bundles;
        }
        bundles += 1;
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, graph, machine, message};

    #[test]
    fn ranks_that_talk_share_a_bundle_and_bundles_fill_nodes() {
        let messages = (0..12).flat_map(|r| {
            let partners = (0..12).filter(move |&other| other != r && other % 3 == r % 3);
            partners
                .map(move |other| message(r, other, 10))
                .chain([message(r, (r + 1) % 12, 1)])
        });
        let case = Case::new(graph(12, messages.collect()), machine("mesh:4", 4));
        let problem = case.problem();
        let bundles = Bundles::new(&problem).unwrap();
        assert_eq!(bundles.graph.ranks(), 3);
        assert_eq!(bundles.graph.total_bytes(), 12);
        let placement = bundles.placement(&[3, 1, 0].map(NodeId), &problem);
        let nodes = placement.nodes(case.machine.slots());
        assert!((0..12).all(|r| nodes[r] == nodes[r % 3]), "{nodes:?}");
    }

    #[test]
    fn ranks_that_do_not_fill_the_last_node_make_a_smaller_bundle() {
        let messages = (0..6).map(|r| message(r, r + 1, 1)).collect();
        let case = Case::new(graph(7, messages), machine("mesh:3", 3));
        let bundles = Bundles::new(&case.problem()).unwrap();
        let mut sizes = [0; 3];
        bundles.of.iter().for_each(|&b| sizes[b as usize] += 1);
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 3, 3]);
    }
}
