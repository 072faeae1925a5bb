//! All minimal paths: every message splits evenly over all its shortest paths (Hoefler & Snir,
//! "Generic topology mapping strategies for large-scale parallel architectures", ICS 2011, section
//! 2.5).
//!
//! The paper's recurrences take O(V^2 E). On a torus or mesh the shares are known in closed form.
//! Elsewhere the bytes of one source flow back along the graph of its shortest paths, farthest
//! vertices first, as in Brandes' betweenness: O(sources x edges) at most, and only as far as the
//! farthest destination.

mod general;
mod grid;

use super::ChannelLoads;
use crate::ids::ChannelId;
use crate::machine::{Flow, Flows, Topology};
use rayon::prelude::*;

/// Expected loads of the network's directed edges (parallel cables are one edge, bandwidths added).
///
/// `flows` are ordered by sender, as [`super::flows`] makes them.
#[must_use]
pub(super) fn loads(topology: &dyn Topology, flows: &[Flow]) -> ChannelLoads {
    match topology.structure().grid() {
        Some(grid) => ChannelLoads {
            bytes: grid::loads(grid, flows),
            bandwidths: (0..topology.channels())
                .map(|c| topology.bandwidth(ChannelId::at(c)))
                .collect(),
        },
        None => general::loads(&topology.wiring(), flows),
    }
}

/// Numbers all pieces of work may hold together.
const MOST_SUMS: usize = 1 << 24;
const MOST_PIECES: usize = 16;

/// Bytes over every edge: the parts are dealt out in pieces, whatever the number of threads, and
/// the pieces' sums added in order, so that every bit is the same on any of them.
fn in_pieces<P: Sync>(
    parts: &[P],
    edges: usize,
    add: impl Fn(&[P], &mut [f64]) + Sync,
) -> Vec<f64> {
    let pieces = (MOST_SUMS / edges.max(1)).clamp(1, MOST_PIECES);
    let sums: Vec<Vec<f64>> = parts
        .par_chunks(parts.len().div_ceil(pieces).max(1))
        .map(|parts| {
            let mut bytes = vec![0.0; edges];
            add(parts, &mut bytes);
            bytes
        })
        .collect();
    let mut sums = sums.into_iter();
    let mut all = sums.next().unwrap_or_else(|| vec![0.0; edges]);
    for sum in sums {
        for (all, bytes) in all.iter_mut().zip(sum) {
            *all += bytes;
        }
    }
    all
}

/// A channel of a grid takes so many times less time than one of another network.
const GRID_SPEED: u64 = 32;

/// About how many channels the shortest paths of all flows run over, as channels of no grid;
/// counting stops above `limit`.
#[must_use]
pub(super) fn steps(topology: &dyn Topology, flows: &dyn Flows, limit: u64) -> u64 {
    let mut pieces = (0..flows.pieces()).map(|number| flows.piece(number));
    let Some(grid) = topology.structure().grid() else {
        // The whole network is walked for every source, and the nodes of one switch are one.
        let distances = topology.distances();
        let mut sources = Vec::new();
        for piece in pieces {
            let senders = by_source(&piece).map(|flows| flows[0].from);
            sources.extend(senders.map(|from| distances.switch(from).ok_or(from)));
            sources.sort_unstable();
            sources.dedup();
        }
        return topology.channels() as u64 * sources.len() as u64;
    };
    let limit = limit.saturating_mul(GRID_SPEED);
    let mut steps = 0;
    while steps <= limit
        && let Some(piece) = pieces.next()
    {
        let mut rest = piece.iter();
        while let (Some(flow), true) = (rest.next(), steps <= limit) {
            steps += grid::steps(grid, flow);
        }
    }
    steps.div_ceil(GRID_SPEED)
}

/// The flows of each source in turn.
fn by_source(flows: &[Flow]) -> impl Iterator<Item = &[Flow]> {
    flows.chunk_by(|a, b| a.from == b.from)
}

#[cfg(test)]
mod tests;
