//! Dilation: hops between the ends of every directed pair of ranks with traffic, unweighted.

use crate::comm::CommGraph;
use crate::ids::NodeId;
use crate::machine::Distances;

/// Mean and maximum over the pairs with traffic; pairs on one node count as 0 hops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dilation {
    /// Mean; 0 without traffic.
    pub avg: f64,
    /// Maximum; 0 without traffic.
    pub max: u32,
}

/// Dilation of the ranks on `nodes`, entry r the node of rank r.
#[must_use]
pub fn dilation(graph: &CommGraph, distances: &Distances, nodes: &[NodeId]) -> Dilation {
    let (mut sum, mut max) = (0u64, 0);
    for m in graph.messages() {
        let hops = distances.hops(nodes[m.from.index()], nodes[m.to.index()]);
        sum += u64::from(hops);
        max = max.max(hops);
    }
    Dilation {
        avg: match graph.pairs() {
            0 => 0.0,
            pairs => sum as f64 / pairs as f64,
        },
        max,
    }
}
