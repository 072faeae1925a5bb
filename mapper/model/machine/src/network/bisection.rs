//! The bandwidth between halves of the nodes of any network.

use super::wiring::Wiring;
use petgraph::algo::maximum_flow::dinics;
use petgraph::graph::{DiGraph, NodeIndex};

/// Limit on the edges of a network for a maximum flow (Dinic), which takes O(v^2 e) at worst.
/// Chosen by hand; not measured.
pub(super) const MOST_EDGES: usize = 1 << 16;

/// The smallest bandwidth between two halves of the nodes in one direction, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bisection {
    /// The smallest bandwidth between any two halves.
    Exactly(f64),
    /// The bandwidth between two halves; other halves may have less between them.
    AtMost(f64),
    /// The network is too large to compute any bandwidth between halves.
    Unknown,
}

impl Bisection {
    /// The bandwidth between the first half of the nodes and the second half: their smallest cut.
    #[must_use]
    pub fn of_first_half(nodes: usize, wiring: &Wiring) -> Self {
        if nodes < 2 || wiring.edges.entries().len() > MOST_EDGES {
            return Self::Unknown;
        }
        // The nodes of the first half are merged into vertex 0, those of the second into vertex 1.
        let vertex = |v: usize| match v {
            v if v < nodes / 2 => 0,
            v if v < nodes => 1,
            v => v - nodes + 2,
        };
        let mut network = DiGraph::<(), f64>::new();
        for _ in 0..wiring.vertices() - nodes + 2 {
            network.add_node(());
        }
        for (from, edge) in wiring.edges.indexed() {
            let (u, v) = (vertex(from), vertex(edge.to as usize));
            if u != v {
                network.add_edge(NodeIndex::new(u), NodeIndex::new(v), edge.bandwidth);
            }
        }
        let (flow, _) = dinics(&network, NodeIndex::new(0), NodeIndex::new(1));
        Self::AtMost(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn the_flow_between_the_halves_passes_the_narrowest_place() {
        for (spec, flow) in [
            // Each pair of groups has one global cable.
            ("dragonfly:2,2,1,2", 2.0),
            // 9 leaves of 6 cables a half, line switches of 18 cables to the spines.
            ("ibcore:hosts=540", 54.0),
            ("percs:2", 10.0),
        ] {
            let topology = parse(spec).unwrap();
            assert_eq!(topology.bisection(), Bisection::AtMost(flow), "{spec}");
        }
    }
}
