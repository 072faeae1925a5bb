//! Bytes through every channel of a grid by dimension-order routes.
//!
//! A leg of a route along one dimension is a run of consecutive channels of one line. Only the two
//! ends of the run are noted, in an array of differences; prefix sums along the lines then give the
//! loads. Cost: O(d) for a flow in d dimensions, whatever its length, and O(1) for each channel.
//!
//! ```text
//!  a flow of 5 bytes from 1 to 4   differences: 0 +5 0 0 -5     loads: 0 5 5 5 0
//! ```

use super::GridNetwork;
use crate::{Flow, Flows, Grid, Ties};
use rankfold_base::NodeId;
use rayon::prelude::*;

/// Limit on the threads that note flows, since each has its own array of all channels. Chosen by
/// hand; not measured.
const PARTS: usize = 4;

/// Number of entries of the arrays that a thread adds up at a time. Chosen by hand; not measured.
const AT_A_TIME: usize = 1 << 14;

/// What is counted of a flow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// All bytes on one path. A tie that goes both ways or an unknown way goes upwards.
    Bytes,
    /// Halves of bytes, where one half takes each way of a tie that goes both ways or an unknown
    /// way. All bytes of a graph fit 63 bits, so their halves fit 64.
    Halves,
    /// Nothing but ties that go both ways or an unknown way: all of their bytes on each way.
    TiesBothWays,
}

/// Bytes or halves of bytes through every channel. The array of differences becomes the array of
/// loads in place.
pub(super) fn loads(network: &GridNetwork, flows: &dyn Flows, counted: Counted) -> Vec<u64> {
    let grid = &network.grid;
    let plan = Plan::new(network, counted);
    let pieces = flows.pieces();
    // Bytes are integers, so their sums do not depend on the number of threads.
    let parts = pieces.min(PARTS).min(rayon::current_num_threads());
    let noted = |part: usize| {
        let mut differences = vec![0u64; grid.channels()];
        for piece in pieces * part / parts..pieces * (part + 1) / parts {
            for flow in &*flows.piece(piece) {
                plan.note_ends(flow, &mut differences);
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
    drop(plan);
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

/// The dimensions as flows are routed along them.
struct Plan {
    wraps: bool,
    nodes: usize,
    ties: Ties,
    counted: Counted,
    coordinates: Vec<u32>,
    /// In the order in which they are routed.
    axes: Vec<Axis>,
}

struct Axis {
    dim: usize,
    size: usize,
    stride: usize,
}

impl Plan {
    fn new(network: &GridNetwork, counted: Counted) -> Self {
        let (grid, dims) = (&network.grid, network.grid.dims());
        let axis = |dim: usize| Axis {
            dim,
            size: dims[dim],
            stride: dims[dim + 1..].iter().product(),
        };
        Self {
            wraps: grid.wraps(),
            nodes: grid.nodes(),
            ties: network.ties(),
            counted,
            coordinates: all_coordinates(grid),
            axes: network.order().into_iter().map(axis).collect(),
        }
    }

    /// Adds a flow to the differences of the lines that its route follows.
    fn note_ends(&self, flow: &Flow, differences: &mut [u64]) {
        let dims = self.axes.len();
        let of = |node: NodeId| &self.coordinates[node.index() * dims..][..dims];
        let (start, end) = (of(flow.from), of(flow.to));
        let mut at = flow.from.index();
        let whole = match self.counted {
            Counted::Bytes | Counted::TiesBothWays => flow.bytes,
            Counted::Halves => 2 * flow.bytes,
        };
        for axis in &self.axes {
            let (here, there) = (start[axis.dim] as usize, end[axis.dim] as usize);
            let line = at - here * axis.stride;
            let mut note = |upwards: bool, bytes: u64| {
                let channels = (2 * axis.dim + usize::from(!upwards)) * self.nodes;
                let line = &mut differences[channels + line..];
                note_run(line, axis, run(axis.size, upwards, here, there), bytes);
            };
            if here != there {
                match (self.upwards(axis.size, here, there), self.counted) {
                    (Some(_), Counted::TiesBothWays) => {}
                    (Some(upwards), _) => note(upwards, whole),
                    (None, Counted::Bytes) => note(true, whole),
                    (None, Counted::Halves | Counted::TiesBothWays) => {
                        note(true, flow.bytes);
                        note(false, flow.bytes);
                    }
                }
            }
            at = line + there * axis.stride;
        }
    }

    /// Whether the way between two different coordinates leads upwards; `None` for both ways.
    fn upwards(&self, size: usize, here: usize, there: usize) -> Option<bool> {
        if !self.wraps {
            return Some(there > here);
        }
        let twice = 2 * ahead(size, here, there);
        if twice == size && size > 2 {
            return self.ties.upwards(here, size);
        }
        Some(twice <= size)
    }
}

/// The number of steps upwards from one coordinate of a ring to another one.
fn ahead(size: usize, here: usize, there: usize) -> usize {
    if there > here {
        there - here
    } else {
        there + size - here
    }
}

/// Adds bytes to the two ends of a run of channels of a line.
fn note_run(line: &mut [u64], axis: &Axis, (first, last): (usize, usize), bytes: u64) {
    let mut note = |c: usize, bytes: u64| {
        let entry = &mut line[c * axis.stride];
        *entry = entry.wrapping_add(bytes);
    };
    note(first, bytes);
    if last < axis.size {
        note(last, bytes.wrapping_neg());
    } else if last > axis.size {
        note(last - axis.size, bytes.wrapping_neg());
        note(0, bytes);
    }
}

/// The run of channels upwards or downwards between two different coordinates of a line of `size`
/// nodes: its first channel, and its end, which is beyond `size` if the run wraps around. A channel
/// has the coordinate of the node that it leaves.
fn run(size: usize, upwards: bool, here: usize, there: usize) -> (usize, usize) {
    let ahead = ahead(size, here, there);
    if upwards {
        return (here, here + ahead);
    }
    let behind = size - ahead;
    let first = if here + 1 >= behind {
        here + 1 - behind
    } else {
        here + 1 + size - behind
    };
    (first, first + behind)
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
