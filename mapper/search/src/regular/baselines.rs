//! The orders that papers measure against: `xyz` and `txyz` of Blue Gene, and `round-robin`.
//!
//! An order lists the nodes and gives each rank in turn the next slot of the list. It either fills
//! a node before it goes on to the next one, or takes one slot of every node in each round. The
//! traffic between ranks plays no part. Cost: O(s log s) for s slots.
//!
//! ```text
//! 4 nodes of 2 slots    n0    n1    n2    n3
//! fills nodes           0 1   2 3   4 5   6 7
//! one slot a round      0 4   1 5   2 6   3 7
//! ```

use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::{Grid, Machine};
use rankfold_problem::heuristic::{
    About, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};

/// A heuristic that places the ranks in ascending order on the slots of a list of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    about: About,
    /// Whether all slots of a node are used before the next node; otherwise one slot of each node
    /// is used in every round.
    fills_nodes: bool,
    nodes: fn(&Machine) -> Result<Vec<NodeId>, NotApplicable>,
}

/// Blue Gene's XYZT: one rank on every node, nodes along the first dimension first, then the next
/// slot of every node.
///
/// The default mapping of Bhatele 2010 for one rank a node (section VII.B).
pub const XYZ: Order = Order {
    about: about(
        "xyz",
        "one rank a node in each round, nodes along the first dimension of a torus or mesh first (Blue Gene's XYZT)",
    ),
    fills_nodes: false,
    nodes: first_dimension_first,
};

/// Blue Gene's TXYZ: all slots of a node, then the next node along the first dimension.
///
/// The default mapping of Bhatele 2010 (section VII) and of Wu et al. 2016 for several ranks a
/// node.
pub const TXYZ: Order = Order {
    about: about(
        "txyz",
        "all cores of a node before the next, nodes along the first dimension of a torus or mesh first (Blue Gene's TXYZ)",
    ),
    fills_nodes: true,
    nodes: first_dimension_first,
};

/// One rank on every node in turn, as launchers place ranks with `--map-by node`.
pub const ROUND_ROBIN: Order = Order {
    about: about(
        "round-robin",
        "one rank a node in each round (mpirun --map-by node)",
    ),
    fills_nodes: false,
    nodes: |machine| Ok((0..machine.slots().nodes()).map(NodeId::at).collect()),
};

const fn about(name: &'static str, summary: &'static str) -> About {
    About::new(name, Family::Oblivious, summary).at_least(Effort::Best)
}

impl Heuristic for Order {
    fn about(&self) -> &About {
        &self.about
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let slots = problem.machine.slots();
        let nodes = (self.nodes)(problem.machine)?;
        let mut in_order: Vec<(usize, usize, SlotId)> = Vec::with_capacity(slots.len());
        for (position, &node) in nodes.iter().enumerate() {
            let cores = slots.on(node).enumerate();
            in_order.extend(cores.map(|(core, slot)| {
                if self.fills_nodes {
                    (position, core, slot)
                } else {
                    (core, position, slot)
                }
            }));
        }
        in_order.sort_unstable();
        let in_order = in_order.into_iter().map(|(_, _, slot)| slot);
        Ok(Placement::new(in_order.take(problem.graph.ranks()).collect()).into())
    }
}

/// The nodes of a mesh or torus with the first coordinate running fastest. [`NodeId`]s run along
/// the last dimension first.
fn first_dimension_first(machine: &Machine) -> Result<Vec<NodeId>, NotApplicable> {
    let grid = machine.topology().structure().grid();
    let grid = grid.ok_or_else(|| NotApplicable("the machine is no mesh or torus".into()))?;
    let turned: Vec<usize> = grid.dims().iter().rev().copied().collect();
    let turned = Grid::new(turned, grid.wraps());
    let node = |position| {
        let mut at = turned.coordinates(NodeId::at(position));
        at.reverse();
        grid.node_at(&at)
    };
    Ok((0..grid.nodes()).map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_problem::testing::{Case, graph, machine, message, unequal_nodes};

    fn nodes(order: Order, ranks: usize, machine: Machine) -> Vec<u32> {
        let case = Case::new(graph(ranks, vec![message(0, 1, 1)]), machine);
        let placed = order.place(&case.problem()).unwrap().placement;
        let nodes = placed.nodes(case.machine.slots());
        nodes.into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn the_first_dimension_runs_fastest() {
        // On 2x3x2 the node at (x, y, z) is 6 x + 2 y + z.
        let expected = [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11];
        assert_eq!(nodes(XYZ, 12, machine("mesh:2x3x2", 1)), expected);
        assert_eq!(
            nodes(XYZ, 8, machine("mesh:2x2", 2)),
            [0, 2, 1, 3, 0, 2, 1, 3]
        );
        assert_eq!(
            nodes(TXYZ, 8, machine("torus:2x2", 2)),
            [0, 0, 2, 2, 1, 1, 3, 3]
        );
    }

    #[test]
    fn round_robin_goes_on_with_the_nodes_that_have_room() {
        let machine = unequal_nodes("tree:2x2", &[1, 0, 3, 2]);
        assert_eq!(nodes(ROUND_ROBIN, 6, machine), [0, 2, 3, 2, 3, 2]);
    }

    #[test]
    fn a_tree_has_no_first_dimension() {
        let case = Case::new(graph(2, vec![message(0, 1, 1)]), machine("tree:2x2", 1));
        let reason = XYZ.place(&case.problem()).unwrap_err().0;
        assert!(reason.contains("no mesh or torus"), "{reason}");
    }
}
