//! Bytes through every channel of a grid by dimension-order routes.
//!
//! A leg of a route along one dimension is a run of consecutive channels of one line. Only the two
//! ends of the run are noted, in an array of differences; prefix sums along the lines then give the
//! loads. Cost: O(d) for a flow in d dimensions, whatever its length, and O(1) for each channel.
//!
//! ```text
//!  a flow of 5 bytes from 1 to 4   differences: 0 +5 0 0 -5     loads: 0 5 5 5 0
//! ```

use crate::ids::NodeId;
use crate::machine::{Flow, Flows, Grid};
use rayon::prelude::*;

/// Limit on the threads that note flows, since each has its own array of all channels. Chosen by
/// hand; not measured.
const PARTS: usize = 4;

/// Number of entries of the arrays that a thread adds up at a time. Chosen by hand; not measured.
const AT_A_TIME: usize = 1 << 14;

/// Bytes through every channel. The array of differences becomes the array of loads in place.
pub(super) fn loads(grid: &Grid, flows: &dyn Flows) -> Vec<u64> {
    let coordinates = all_coordinates(grid);
    let pieces = flows.pieces();
    // Bytes are integers, so their sums do not depend on the number of threads.
    let parts = pieces.min(PARTS).min(rayon::current_num_threads());
    let noted = |part: usize| {
        let mut differences = vec![0u64; grid.channels()];
        for piece in pieces * part / parts..pieces * (part + 1) / parts {
            for flow in &*flows.piece(piece) {
                note_ends(grid, &coordinates, flow, &mut differences);
            }
        }
        differences
    };
    let add = |mut sum: Vec<u64>, part: Vec<u64>| {
        let entries = sum.par_iter_mut().with_min_len(AT_A_TIME).zip(part);
        entries.for_each(|(sum, part)| *sum = sum.wrapping_add(part));
        sum
    };
    let noted = (0..parts).into_par_iter().map(noted);
    let loads = noted.reduce_with(add);
    let mut loads = loads.unwrap_or_else(|| vec![0; grid.channels()]);
    drop(coordinates);
    sum_along_lines(grid, &mut loads);
    loads
}

/// The coordinates of all nodes, one node after the other.
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

/// Adds a flow to the differences of the lines that its route follows.
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

/// The run of channels between two different coordinates of a line of `k` nodes: whether it leads
/// upwards, its first channel, and its end, which is beyond `k` if the run wraps around. A channel
/// has the coordinate of the node that it leaves.
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

/// Turns the differences of each direction into loads.
fn sum_along_lines(grid: &Grid, differences: &mut [u64]) {
    let directions = differences.par_chunks_exact_mut(grid.nodes()).enumerate();
    directions.for_each(|(number, direction)| {
        let (before, from) = grid.dims().split_at(number / 2);
        let stride = grid.nodes() / before.iter().product::<usize>() / from[0];
        // Neighbouring lines are summed together, one step along all of them at a time.
        for lines in direction.chunks_exact_mut(from[0] * stride) {
            for at in (stride..lines.len()).step_by(stride) {
                let (behind, here) = lines.split_at_mut(at);
                for (here, behind) in here[..stride].iter_mut().zip(&behind[at - stride..]) {
                    *here = here.wrapping_add(*behind);
                }
            }
        }
    });
}
