//! The exact bisection bandwidth of fat trees.
//!
//! Flows between nodes can be divided evenly among the parallel vertices of a level. So the
//! smallest cut of a set of nodes is the smallest cut of the tree in which parallel vertices are
//! merged into one, and their cables into one link. In that tree, dynamic programming from the
//! leaves up gives the smallest cut for every size of the set: a subtree with k nodes in the set
//! costs the sum over its children, with k divided among the children in the cheapest way. A child
//! on the other side than its parent also costs the bandwidth of its link to the parent.
//!
//! Cost: O(u^2) for a level, with u units (leaf switches, or nodes) of a subtree.

use super::super::Bisection;
use super::Xgft;

/// Limit on the number of units, since the work grows with its square. Chosen by hand; not
/// measured.
const MOST_UNITS: usize = 1 << 12;

impl Xgft {
    pub(super) fn halves(&self) -> Bisection {
        let half = self.nodes / 2;
        if half == 0 {
            return Bisection::Unknown;
        }
        // The cost is concave within a leaf switch, so a cheapest division has whole leaf switches
        // where these add up to half of the nodes.
        let (unit, level) = match self.levels.get(1) {
            Some(leaf) if half.is_multiple_of(leaf.below) => (leaf.below, 1),
            _ => (1, 0),
        };
        if self.nodes / unit > MOST_UNITS {
            return Bisection::Unknown;
        }
        let own = match level {
            0 => self.capacity(0),
            _ => self.capacity(1).min(unit as f64 * self.capacity(0)),
        };
        // The smallest cost of a subtree by the number of its units in the set, if the parent of
        // the subtree is on the other side.
        let mut costs = vec![0.0, own];
        for (l, here) in self.levels.iter().enumerate().skip(level) {
            costs = shared_out(&costs, here.children);
            if l + 1 == self.levels.len() {
                break;
            }
            let above = self.capacity(l + 1);
            costs = (0..costs.len())
                .map(|k| costs[k].min(costs[costs.len() - 1 - k] + above))
                .collect();
        }
        Bisection::Exactly(costs[half / unit])
    }

    /// Bandwidth of all cables above one subtree of a level, in one direction.
    fn capacity(&self, level: usize) -> f64 {
        let here = &self.levels[level];
        (here.width * here.parents) as f64 * self.speeds.of[level].bandwidth
    }
}

/// The smallest total cost of `children` equal subtrees, by the number of units they get together.
fn shared_out(costs: &[f64], children: usize) -> Vec<f64> {
    let mut least = vec![0.0];
    for _ in 0..children {
        let mut next = vec![f64::INFINITY; least.len() + costs.len() - 1];
        for (taken, before) in least.iter().enumerate() {
            for (own, cost) in costs.iter().enumerate() {
                next[taken + own] = next[taken + own].min(before + cost);
            }
        }
        least = next;
    }
    least
}

#[cfg(test)]
mod tests {
    use crate::{Bisection, Topology, Wiring, parse};

    /// The smallest flow between two halves of the nodes, over all halves.
    fn by_trying_all(topology: &dyn Topology) -> f64 {
        let nodes = topology.nodes();
        let mut least = f64::INFINITY;
        for set in 0u32..1 << nodes {
            if set.count_ones() as usize != nodes / 2 {
                continue;
            }
            let mut order: Vec<u32> = (0..nodes as u32).collect();
            order.sort_by_key(|v| set >> v & 1 == 0);
            let mut number = vec![0; nodes];
            for (new, &old) in (0u32..).zip(&order) {
                number[old as usize] = new;
            }
            let renamed = |end: u32| number.get(end as usize).copied().unwrap_or(end);
            let wiring = topology.wiring();
            let edges = wiring.edges.indexed();
            let edges = edges.map(|(u, e)| (renamed(u as u32), renamed(e.to), e.bandwidth));
            let wiring = Wiring::new(wiring.vertices(), edges);
            if let Bisection::AtMost(flow) = Bisection::of_first_half(nodes, &wiring) {
                least = least.min(flow);
            }
        }
        least
    }

    #[test]
    fn no_halves_have_less_between_them() {
        for spec in [
            "tree:8",
            "tree:7",
            "tree:2x4",
            "tree:2x4@100,1",
            "tree:3x2@1,3",
            "tree:2x2x2@1,2,1",
            "tree:3x3@5,2",
            "xgft:2,4:1,2",
            "xgft:4,2:1,3",
            "xgft:2,2,2:1,2,1",
            "xgft:3,3:2,1",
        ] {
            let topology = parse(spec).unwrap();
            let least = by_trying_all(&*topology);
            assert_eq!(topology.bisection(), Bisection::Exactly(least), "{spec}");
        }
    }

    #[test]
    fn a_full_fat_tree_has_half_its_nodes_bandwidth() {
        let bisection = |spec| parse(spec).unwrap().bisection();
        assert_eq!(bisection("fattree:8"), Bisection::Exactly(64.0));
        assert_eq!(
            bisection("fattree:36"),
            Bisection::Exactly(36.0 * 36.0 * 36.0 / 8.0)
        );
        assert_eq!(bisection("tree:1"), Bisection::Unknown);
    }
}
