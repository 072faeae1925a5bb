//! Dilation: hops between the ends of every directed pair of ranks with traffic, unweighted.

use crate::comm::CommGraph;
use crate::ids::{NodeId, Rank};
use crate::machine::Distances;
use rayon::prelude::*;

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
    let (sum, max) = (0..graph.ranks())
        .into_par_iter()
        .map(Rank::at)
        .map(|from| {
            let hops = |to: Rank| distances.hops(nodes[from.index()], nodes[to.index()]);
            let sent = graph.sent_by(from).map(|(to, _)| hops(to));
            sent.fold((0, 0), |(sum, max), hops| {
                (sum + u64::from(hops), max.max(hops))
            })
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    Dilation {
        avg: match graph.pairs() {
            0 => 0.0,
            pairs => sum as f64 / pairs as f64,
        },
        max,
    }
}
