//! What is placed and where it may go.

use super::footprint::footprint;
use crate::heuristic::Problem;
use crate::irregular::bundles::Bundles;
use rankfold_model::comm::Affinity;
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::machine::{Distances, Grid};
use rankfold_model::placement::Placement;

/// Processes of the paper: bundles of ranks, or ranks where nodes differ in capacity.
pub(super) struct Cells<'a> {
    bundles: Bundles,
    pub(super) grid: &'a Grid,
    pub(super) distances: Distances,
    /// Processes every node shall hold; they sum to the number of processes.
    pub(super) wanted: Vec<u32>,
}

impl<'a> Cells<'a> {
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

    /// Every rank on the node of its process.
    pub(super) fn placement(&self, node_of: &[NodeId], problem: &Problem<'_>) -> Placement {
        self.bundles.placement(node_of, problem)
    }

    /// Nodes one link away, ascending.
    pub(super) fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        self.grid.nearest(node)
    }

    /// Hop-bytes of one process on `node`, everybody else staying.
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
