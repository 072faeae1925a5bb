//! Loads of dimension-order routes on a whole grid at once.

use crate::ids::NodeId;
use crate::machine::{Flow, Grid};
use rayon::prelude::*;

/// Flows are noted side by side in at most this many parts, each with its own table of channels.
const PARTS: usize = 4;
/// No part has fewer flows than this.
const LEAST_PART: usize = 1 << 16;

/// Bytes through every channel.
///
/// Every leg of a route is a run of channels on one line: only its ends are noted, as a difference
/// array kept in the loads themselves, and summed up along the lines at the end.
pub(super) fn loads(grid: &Grid, flows: &[Flow]) -> Vec<u64> {
    let coordinates = all_coordinates(grid);
    let noted = |flows: &[Flow]| {
        let mut differences = vec![0u64; grid.channels()];
        for flow in flows {
            note_ends(grid, &coordinates, flow, &mut differences);
        }
        differences
    };
    let mut loads = flows
        .par_chunks(flows.len().div_ceil(PARTS).max(LEAST_PART))
        .map(noted)
        .reduce_with(|mut sum, part| {
            sum.iter_mut()
                .zip(part)
                .for_each(|(sum, part)| *sum = sum.wrapping_add(part));
            sum
        })
        .unwrap_or_else(|| vec![0; grid.channels()]);
    sum_along_lines(grid, &mut loads);
    loads
}

/// Coordinates of every node, one node after the other.
fn all_coordinates(grid: &Grid) -> Vec<u32> {
    let mut all = Vec::with_capacity(grid.nodes() * grid.dims().len());
    let mut at = vec![0; grid.dims().len()];
    for _ in 0..grid.nodes() {
        all.extend_from_slice(&at);
        for (c, &k) in at.iter_mut().zip(grid.dims()).rev() {
            *c += 1;
            if *c as usize != k {
                break;
            }
            *c = 0;
        }
    }
    all
}

/// Adds a flow to the difference arrays of the lines it runs along.
fn note_ends(grid: &Grid, coordinates: &[u32], flow: &Flow, differences: &mut [u64]) {
    let dims = grid.dims().len();
    let of = |node: NodeId| &coordinates[node.index() * dims..][..dims];
    let (mut at, nodes) = (flow.from.index(), grid.nodes());
    let mut stride = nodes;
    let mut channels = 0;
    let ends = of(flow.from).iter().zip(of(flow.to));
    for (&k, (&here, &there)) in grid.dims().iter().zip(ends) {
        stride /= k;
        let line = at - here as usize * stride;
        if here != there {
            let (forward, first, last) = run(grid.wraps(), k, here as usize, there as usize);
            let start = channels + if forward { 0 } else { nodes };
            let mut note = |c: usize, bytes: u64| {
                let entry = &mut differences[start + line + c * stride];
                *entry = entry.wrapping_add(bytes);
            };
            note(first, flow.bytes);
            if last < k {
                note(last, flow.bytes.wrapping_neg());
            } else if last > k {
                note(last - k, flow.bytes.wrapping_neg());
                note(0, flow.bytes);
            }
        }
        at = line + there as usize * stride;
        channels += 2 * nodes;
    }
}

/// Direction, first channel and end (beyond `k` if it wraps) of the run of channels between two
/// different coordinates of a line of `k` nodes; channels have the coordinate they leave.
fn run(wraps: bool, k: usize, here: usize, there: usize) -> (bool, usize, usize) {
    let ahead = if there > here {
        there - here
    } else {
        there + k - here
    };
    let forward = if wraps { 2 * ahead <= k } else { there > here };
    if forward {
        return (true, here, here + ahead);
    }
    let behind = k - ahead;
    let first = if here + 1 >= behind {
        here + 1 - behind
    } else {
        here + 1 + k - behind
    };
    (false, first, first + behind)
}

fn sum_along_lines(grid: &Grid, differences: &mut [u64]) {
    let mut stride = grid.nodes();
    for (dim, &k) in grid.dims().iter().enumerate() {
        stride /= k;
        for direction in
            differences[2 * dim * grid.nodes()..][..2 * grid.nodes()].chunks_exact_mut(grid.nodes())
        {
            for node in 0..grid.nodes() {
                let behind = node / stride % k;
                if behind > 0 {
                    direction[node] = direction[node].wrapping_add(direction[node - stride]);
                }
            }
        }
    }
}
