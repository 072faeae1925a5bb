//! What is placed and where it may go.

use crate::heuristic::{NotApplicable, Problem};
use crate::irregular::bundles::Bundles;
use rankfold_model::comm::Affinity;
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::machine::{Distances, Grid};
use rankfold_model::placement::Placement;
use std::borrow::Cow;

/// Processes of the paper: bundles of ranks, or ranks where nodes differ in capacity.
pub(super) struct Cells<'a> {
    bundles: Option<Bundles>,
    affinity: Cow<'a, Affinity>,
    pub(super) grid: &'a Grid,
    pub(super) distances: Distances,
    /// Processes every node shall hold; they sum to the number of processes.
    pub(super) wanted: Vec<u32>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(problem: &Problem<'a>, grid: &'a Grid) -> Result<Self, NotApplicable> {
        let slots = problem.machine.slots();
        let bundles = Bundles::new(problem).ok();
        let capacity = |node| match &bundles {
            Some(_) => slots.capacity(node).min(1),
            None => slots.capacity(node),
        };
        let affinity = match &bundles {
            Some(bundles) => Cow::Owned(bundles.affinity.clone()),
            None => Cow::Borrowed(problem.affinity),
        };
        let distances = problem.machine.topology().distances();
        let capacities: Vec<u32> = (0..slots.nodes())
            .map(|node| capacity(NodeId::at(node)))
            .collect();
        Ok(Self {
            wanted: compact(grid, &distances, &capacities, affinity.ranks()),
            bundles,
            affinity,
            grid,
            distances,
        })
    }

    pub(super) fn affinity(&self) -> &Affinity {
        &self.affinity
    }

    pub(super) fn processes(&self) -> usize {
        self.affinity.ranks()
    }

    /// Every rank on the node of its process.
    pub(super) fn placement(&self, node_of: &[NodeId], problem: &Problem<'_>) -> Placement {
        match &self.bundles {
            Some(bundles) => bundles.placement(node_of, problem),
            None => Placement::from_nodes(node_of, problem.machine.slots())
                .expect("nodes hold what they shall"),
        }
    }

    /// Nodes one link away, ascending.
    pub(super) fn neighbours(&self, node: NodeId) -> Vec<NodeId> {
        self.grid.nearest(node)
    }

    /// Hop-bytes of one process on `node`, everybody else staying.
    pub(super) fn cost(&self, process: Rank, node: NodeId, node_of: &[NodeId]) -> i128 {
        self.affinity
            .partners(process)
            .map(|(partner, bytes)| {
                let hops = self.distances.hops(node, node_of[partner.index()]);
                i128::from(bytes) * i128::from(hops)
            })
            .sum()
    }
}

/// As many places as there are processes, the ones closest to the middle of the machine.
fn compact(grid: &Grid, distances: &Distances, capacities: &[u32], processes: usize) -> Vec<u32> {
    let middle: Vec<usize> = grid.dims().iter().map(|k| k / 2).collect();
    let middle = grid.node_at(&middle);
    let mut order: Vec<NodeId> = (0..capacities.len()).map(NodeId::at).collect();
    order.sort_by_key(|&node| (distances.hops(node, middle), node));
    let mut wanted = vec![0; capacities.len()];
    let mut left = processes as u32;
    for node in order {
        wanted[node.index()] = capacities[node.index()].min(left);
        left -= wanted[node.index()];
    }
    wanted
}
