//! The input of both stages: the processes, the machine, and how many processes every node takes.

use super::footprint::footprint;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::{Distances, Grid};
use rankfold_problem::heuristic::Problem;
use rankfold_search::irregular::bundles::Bundles;

/// The problem in the paper's terms. A process is a bundle of ranks that fills a node, or a single
/// rank where nodes differ in capacity.
pub(super) struct MappingInstance<'a> {
    bundles: Bundles,
    pub(super) grid: &'a Grid,
    pub(super) distances: Distances,
    /// Number of processes that every node takes; the numbers sum to the number of processes.
    pub(super) wanted: Vec<u32>,
}

impl<'a> MappingInstance<'a> {
    pub(super) fn new(problem: &Problem<'a>, grid: &'a Grid) -> Self {
        let bundles = Bundles::new(problem);
        let distances = problem.machine.topology().distances();
        Self {
            wanted: footprint(grid, &bundles.nodes, bundles.graph.ranks()),
            bundles,
            grid,
            distances,
        }
    }

    pub(super) fn affinity(&self) -> &Affinity {
        &self.bundles.affinity
    }

    pub(super) fn processes(&self) -> usize {
        self.affinity().ranks()
    }

    /// The placement that puts every rank on the node of its process.
    pub(super) fn placement(&self, node_of: &[NodeId], problem: &Problem<'_>) -> Placement {
        self.bundles.placement(node_of, problem)
    }

    /// The nodes one link away, in ascending order.
    pub(super) fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        self.grid.nearest(node)
    }

    /// Hop-bytes of one process if it sits on `node` and all other processes stay where they are.
    pub(super) fn cost(&self, process: Rank, node: NodeId, node_of: &[NodeId]) -> i128 {
        self.affinity()
            .partners(process)
            .map(|(partner, bytes)| {
                let hops = self.distances.hops(node, node_of[partner.index()]);
                i128::from(bytes) * i128::from(hops)
            })
            .sum()
    }
}
