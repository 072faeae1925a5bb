//! Loads of dimension-order routes on a whole grid at once.

use crate::ids::NodeId;
use crate::machine::{Flow, Flows, Grid};
use rayon::prelude::*;

/// Flows are noted side by side by at most this many threads, each with its own table of channels.
const PARTS: usize = 4;

/// Entries of the tables that a thread adds up at a time.
const AT_A_TIME: usize = 1 << 14;

/// Bytes through every channel.
///
/// Every leg of a route is a run of channels on one line: only its ends are noted, as a difference
/// array kept in the loads themselves, and summed up along the lines at the end.
pub(super) fn loads(grid: &Grid, flows: &dyn Flows) -> Vec<u64> {
    let coordinates = all_coordinates(grid);
    let pieces = flows.pieces();
    // Whole bytes add up to the same however they are dealt out.
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

/// The loads of each direction, one behind the other, from their differences.
fn sum_along_lines(grid: &Grid, differences: &mut [u64]) {
    let directions = differences.par_chunks_exact_mut(grid.nodes()).enumerate();
    directions.for_each(|(number, direction)| {
        let (before, from) = grid.dims().split_at(number / 2);
        let stride = grid.nodes() / before.iter().product::<usize>() / from[0];
        // Lines side by side: what one step behind has is added to all of them at once.
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
