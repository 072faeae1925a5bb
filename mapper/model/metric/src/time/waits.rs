//! Latency: for every pair of ranks, its messages times the latencies on their route.

use crate::congestion::sum;
use rankfold_base::{NodeId, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::Topology;
use rayon::prelude::*;

/// Seconds that pairs of ranks wait for latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waits {
    /// The longest wait of a pair.
    pub longest: f64,
    /// Sum over all pairs.
    pub sum: f64,
}

/// Waits of ranks on `nodes`, where entry r is the node of rank r. The result does not depend on
/// the number of threads.
#[must_use]
pub fn waits(graph: &CommGraph, topology: &dyn Topology, nodes: &[NodeId]) -> Waits {
    let of_rank = |from: Rank| {
        let mut waits = Waits::default();
        let here = nodes[from.index()];
        for (to, _, messages) in graph.sent_with_messages(from) {
            let there = nodes[to.index()];
            if here != there {
                let wait = messages * topology.path_latency(here, there);
                waits.longest = waits.longest.max(wait);
                waits.sum += wait;
            }
        }
        waits
    };
    let ranks = (0..graph.ranks()).into_par_iter().map(Rank::at);
    let (longest, sums): (Vec<f64>, Vec<f64>) = ranks
        .map(of_rank)
        .map(|waits| (waits.longest, waits.sum))
        .unzip();
    Waits {
        longest: longest.into_iter().fold(0.0, f64::max),
        sum: sum(&sums),
    }
}
