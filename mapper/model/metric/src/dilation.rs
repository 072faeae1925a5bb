//! Dilation: the hops between the two ranks of a directed pair with traffic, unweighted.

use rankfold_base::{NodeId, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::Distances;
use rayon::prelude::*;

/// Mean and maximum dilation. Pairs on the same node count as 0 hops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dilation {
    /// Mean; 0 without traffic.
    pub avg: f64,
    /// Maximum; 0 without traffic.
    pub max: u32,
}

/// Dilation of ranks on `nodes`, where entry r is the node of rank r.
#[must_use]
pub fn dilation(graph: &CommGraph, distances: &Distances, nodes: &[NodeId]) -> Dilation {
    lengths(graph, distances, nodes).0
}

/// Computes dilation and hop-bytes in one pass over the messages: for large graphs, memory access
/// dominates.
pub(super) fn lengths(
    graph: &CommGraph,
    distances: &Distances,
    nodes: &[NodeId],
) -> (Dilation, u128) {
    let of_rank = |from: Rank| {
        let (mut sum, mut max, mut hop_bytes) = (0u64, 0, 0);
        for (to, bytes) in graph.sent_by(from) {
            let hops = distances.hops(nodes[from.index()], nodes[to.index()]);
            sum += u64::from(hops);
            max = max.max(hops);
            hop_bytes += u128::from(bytes) * u128::from(hops);
        }
        (sum, max, hop_bytes)
    };
    let (sum, max, hop_bytes) = (0..graph.ranks())
        .into_par_iter()
        .map(|rank| of_rank(Rank::at(rank)))
        .reduce(|| (0, 0, 0), |a, b| (a.0 + b.0, a.1.max(b.1), a.2 + b.2));
    let avg = match graph.pairs() {
        0 => 0.0,
        pairs => sum as f64 / pairs as f64,
    };
    (Dilation { avg, max }, hop_bytes)
}
