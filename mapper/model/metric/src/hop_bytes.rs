//! Hop-bytes: the sum of bytes x hops.

use rankfold_base::{NodeId, Rank};
use rankfold_graph::{Affinity, CommGraph};
use rankfold_machine::{Distances, Topology};
use rayon::prelude::*;

/// Hop-bytes of ranks on `nodes`, where entry r is the node of rank r.
#[must_use]
pub fn hop_bytes(graph: &CommGraph, topology: &dyn Topology, nodes: &[NodeId]) -> u128 {
    hop_bytes_over(graph, &topology.distances(), nodes)
}

/// [`hop_bytes`] for a caller that already has the distances.
#[must_use]
pub fn hop_bytes_over(graph: &CommGraph, distances: &Distances, nodes: &[NodeId]) -> u128 {
    graph.sum_over_ranks(|from| {
        let hops = |to: Rank| distances.hops(nodes[from.index()], nodes[to.index()]);
        let sent = graph.sent_by(from);
        sent.map(|(to, bytes)| u128::from(bytes) * u128::from(hops(to)))
            .sum::<u128>()
    })
}

/// [`hop_bytes`] for a graph in the undirected view; equal, since distances are symmetric.
#[must_use]
pub fn hop_bytes_of(affinity: &Affinity, topology: &dyn Topology, nodes: &[NodeId]) -> u128 {
    hop_bytes_of_over(affinity, &topology.distances(), nodes)
}

/// [`hop_bytes_of`] for a caller that already has the distances.
#[must_use]
pub fn hop_bytes_of_over(affinity: &Affinity, distances: &Distances, nodes: &[NodeId]) -> u128 {
    let ranks = (0..affinity.ranks()).into_par_iter().map(Rank::at);
    let of_rank = |u: Rank| -> u128 {
        let above = affinity.partners(u).filter(|&(v, _)| v > u);
        let hops = |v: Rank| distances.hops(nodes[u.index()], nodes[v.index()]);
        above
            .map(|(v, bytes)| u128::from(bytes) * u128::from(hops(v)))
            .sum()
    };
    ranks.map(of_rank).sum()
}
