//! All minimal paths: every message splits evenly over all its shortest paths (Hoefler & Snir,
//! "Generic topology mapping strategies for large-scale parallel architectures", ICS 2011, section 2.5).
//!
//! The paper's recurrences take O(V^2 E). Here the bytes of one source flow back along the graph of its
//! shortest paths, farthest vertices first, as in Brandes' betweenness: O(sources x edges) at most, and
//! only as far as the farthest destination.

mod general;
mod grid;

use super::Loads;
use crate::ids::ChannelId;
use crate::machine::{Flow, Topology};
use rayon::prelude::*;

/// Expected loads of the network's directed edges (parallel cables are one edge, bandwidths added).
///
/// `flows` are ordered by sender, as [`super::flows`] makes them.
#[must_use]
pub(super) fn loads(topology: &dyn Topology, flows: &[Flow]) -> Loads {
    match topology.structure().grid() {
        Some(grid) => Loads {
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

/// Bytes over every edge: the sources are dealt out in pieces, whatever the number of threads, and the
/// pieces' sums added in order, so that every bit is the same on any of them.
fn in_pieces(
    flows: &[Flow],
    edges: usize,
    add: impl Fn(&[&[Flow]], &mut [f64]) + Sync,
) -> Vec<f64> {
    let sources: Vec<&[Flow]> = by_source(flows).collect();
    let pieces = (MOST_SUMS / edges.max(1)).clamp(1, MOST_PIECES);
    let parts: Vec<Vec<f64>> = sources
        .par_chunks(sources.len().div_ceil(pieces).max(1))
        .map(|sources| {
            let mut bytes = vec![0.0; edges];
            add(sources, &mut bytes);
            bytes
        })
        .collect();
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_else(|| vec![0.0; edges]);
    for part in parts {
        for (sum, bytes) in sum.iter_mut().zip(part) {
            *sum += bytes;
        }
    }
    sum
}

/// About how many channels the shortest paths of all flows run over; counting stops above `limit`.
#[must_use]
pub(super) fn steps(topology: &dyn Topology, flows: &[Flow], limit: u64) -> u64 {
    let Some(grid) = topology.structure().grid() else {
        // The whole network is walked for every source, and the nodes of one switch are one.
        let distances = topology.distances();
        let mut sources: Vec<_> = by_source(flows)
            .map(|flows| distances.switch(flows[0].from).ok_or(flows[0].from))
            .collect();
        sources.sort_unstable();
        sources.dedup();
        return topology.channels() as u64 * sources.len() as u64;
    };
    let (mut steps, mut rest) = (0, flows.iter());
    while let (Some(flow), true) = (rest.next(), steps <= limit) {
        steps += grid::steps(grid, flow);
    }
    steps
}

/// The flows of each source in turn.
fn by_source(flows: &[Flow]) -> impl Iterator<Item = &[Flow]> {
    flows.chunk_by(|a, b| a.from == b.from)
}

#[cfg(test)]
mod tests;
