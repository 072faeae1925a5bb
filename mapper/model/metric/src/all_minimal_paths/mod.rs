//! Congestion with every message split evenly over all its shortest paths.
//!
//! Source: Hoefler & Snir, "Generic topology mapping strategies for large-scale parallel
//! architectures", ICS 2011, section 2.5. Difference: the recurrences of the paper take O(V^2 E).
//! Here, shares on a torus or mesh have a closed form ([`grid`]). On other networks, the bytes of
//! one source flow back along the graph of its shortest paths, farthest vertices first, as in
//! Brandes' algorithm for betweenness ([`general`]): at most O(sources x edges), and only as far as
//! the farthest destination.

mod general;
mod grid;

use super::ChannelLoads;
use rankfold_base::ChannelId;
use rankfold_machine::{Flow, Flows, Topology};
use rayon::prelude::*;

/// Expected loads of the directed edges of a network. Parallel cables form one edge with the sum of
/// their bandwidths.
///
/// `flows` must be ordered by sender, as [`super::flows`] returns them.
#[must_use]
pub(super) fn loads(topology: &dyn Topology, flows: &[Flow]) -> ChannelLoads {
    if topology.lists_paths() {
        return listed(topology, flows);
    }
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

/// Loads of a network of which one path for each pair is all that is known.
fn listed(topology: &dyn Topology, flows: &[Flow]) -> ChannelLoads {
    let loads = topology.loads(&flows.to_vec());
    let channels = (0..topology.channels()).map(ChannelId::at);
    ChannelLoads {
        bytes: loads.into_iter().map(|bytes| bytes as f64).collect(),
        bandwidths: channels.map(|c| topology.bandwidth(c)).collect(),
    }
}

/// Most sums (128 MiB) that all pieces of work together may hold, and most pieces. Chosen by hand;
/// not measured.
const MAX_SUMS: usize = 1 << 24;
const MAX_PIECES: usize = 16;

/// Computes the bytes over every edge in parallel. The parts are divided into pieces whose number
/// does not depend on the number of threads, and the sums of the pieces are added in order. The
/// result is therefore the same to the last bit for any number of threads.
fn in_pieces<P: Sync>(
    parts: &[P],
    edges: usize,
    add: impl Fn(&[P], &mut [f64]) + Sync,
) -> Vec<f64> {
    let pieces = (MAX_SUMS / edges.max(1)).clamp(1, MAX_PIECES);
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

/// How many times faster the closed form handles one channel of a grid than the search handles one
/// edge of another network. From `eval` of scattered placements: 65,536 ranks take 3.7 CPU seconds
/// on torus:32x32x64 and 9.1 on mesh:32x32x64, where path counting took about a hundred (commit
/// b67ebd3). The factor is rounded to a power of two by hand.
const GRID_SPEED: u64 = 32;

/// Estimated number of channels that the shortest paths of all flows use, in units of channels of a
/// network that is no grid. Counting stops above `limit`.
#[must_use]
pub(super) fn steps(topology: &dyn Topology, flows: &dyn Flows, limit: u64) -> u64 {
    let mut pieces = (0..flows.pieces()).map(|number| flows.piece(number));
    let Some(grid) = topology.structure().grid() else {
        // All edges of the network are visited for every source; the nodes of one switch are one
        // source.
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

/// The flows of one source after the other.
fn by_source(flows: &[Flow]) -> impl Iterator<Item = &[Flow]> {
    flows.chunk_by(|a, b| a.from == b.from)
}

#[cfg(test)]
mod tests;
