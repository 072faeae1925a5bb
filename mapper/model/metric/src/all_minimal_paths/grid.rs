//! All minimal paths on a torus or mesh, where the shares are known in closed form.
//!
//! Every order of the unit steps between two nodes is one shortest path. The nodes on these paths
//! form a box with corners 0 and D. From node `x` of the box, the fraction (D_d - x_d) / |D - x| of
//! the paths continues along dimension d. The share of a message on each edge of the box therefore
//! depends only on D. Shares are computed once for all messages with the same D (up to mirroring)
//! and added row by row, in passes over consecutive numbers.
//!
//! ```text
//! D = (1, 2): shares of a message       o --2/3-> o --1/3-> o
//! from the upper left corner            |1/3      |1/3      |1/3
//! to the lower right corner             v         v         v
//!                                       o --1/3-> o --2/3-> o
//! ```
//!
//! On a ring of even size, both directions round it are equally short for a displacement of half
//! the ring. Half of the bytes take each. No paths are counted, so nothing overflows. Cost:
//! O(channels of the box) for each message.

use super::in_pieces;
use rankfold_base::NodeId;
use rankfold_machine::{Flow, Grid};

/// Bytes through every channel of the grid.
pub(super) fn loads(grid: &Grid, flows: &[Flow]) -> Vec<f64> {
    let numbered = (0u32..).zip(flows);
    let mut by_box: Vec<(u32, u32)> = numbered
        .map(|(number, flow)| (far_corner(grid, flow), number))
        .collect();
    by_box.sort_unstable();
    let alike: Vec<&[(u32, u32)]> = by_box.chunk_by(|a, b| a.0 == b.0).collect();
    in_pieces(&alike, grid.channels(), |alike, bytes| {
        let mut shares = Shares::default();
        for journeys in alike {
            shares.compute(&grid.coordinates(NodeId(journeys[0].0)));
            for &(_, number) in *journeys {
                shares.add(grid, &flows[number as usize], bytes);
            }
        }
    })
}

/// The number of steps of a flow along every dimension, encoded as the node that is this far from
/// node 0.
fn far_corner(grid: &Grid, flow: &Flow) -> u32 {
    let mut corner = 0;
    let mut stride = 1;
    for (apart, size) in steps_from_the_last(grid, flow) {
        corner += apart * stride;
        stride *= size;
    }
    NodeId::at(corner).0
}

/// The number of steps of a flow along every dimension, and the size of the dimension, the last
/// dimension first.
fn steps_from_the_last(grid: &Grid, flow: &Flow) -> impl Iterator<Item = (usize, usize)> {
    let (mut from, mut to) = (flow.from.index(), flow.to.index());
    let dims = grid.dims().iter().enumerate().rev();
    dims.map(move |(dim, &size)| {
        let apart = grid.displacement(dim, from % size, to % size);
        from /= size;
        to /= size;
        (apart.unsigned_abs(), size)
    })
}

/// Number of channels in the box between the ends of a flow.
pub(super) fn steps(grid: &Grid, flow: &Flow) -> u64 {
    let (mut nodes, mut dims) = (1, 0);
    for (apart, _) in steps_from_the_last(grid, flow) {
        nodes *= 1 + apart as u64;
        dims += u64::from(apart > 0);
    }
    nodes * dims
}

/// Shares of a message between opposite corners of a box, for all edges of the box.
#[derive(Default)]
struct Shares {
    /// Number of nodes of the box along every dimension.
    sizes: Vec<usize>,
    /// For every dimension, the share that leaves each node of the box along the dimension. Nodes
    /// are in row-major order.
    leaving: Vec<Vec<f64>>,
}

impl Shares {
    fn compute(&mut self, apart: &[usize]) {
        self.sizes = apart.iter().map(|steps| steps + 1).collect();
        let cells = self.sizes.iter().product();
        self.leaving.resize(apart.len(), Vec::new());
        for leaving in &mut self.leaving {
            leaving.clear();
            leaving.resize(cells, 0.0);
        }
        let mut at = vec![0; apart.len()];
        let mut left: usize = apart.iter().sum();
        for cell in 0..cells {
            let arrived = self.arrived(cell, &at);
            for (d, leaving) in self.leaving.iter_mut().enumerate() {
                let steps_left = apart[d] - at[d];
                if steps_left > 0 {
                    leaving[cell] = arrived * steps_left as f64 / left as f64;
                }
            }
            for d in (0..at.len()).rev() {
                if at[d] + 1 < self.sizes[d] {
                    at[d] += 1;
                    left -= 1;
                    break;
                }
                left += at[d];
                at[d] = 0;
            }
        }
    }

    /// Share of a message that passes through a node of the box.
    fn arrived(&self, cell: usize, at: &[usize]) -> f64 {
        if cell == 0 {
            return 1.0;
        }
        let (mut stride, mut sum) = (1, 0.0);
        for d in (0..at.len()).rev() {
            if at[d] > 0 {
                sum += self.leaving[d][cell - stride];
            }
            stride *= self.sizes[d];
        }
        sum
    }

    /// Adds the bytes of a flow to the channels. Where both directions round a ring are equally
    /// short, each gets half.
    fn add(&self, grid: &Grid, flow: &Flow, bytes: &mut [f64]) {
        let (from, to) = (grid.coordinates(flow.from), grid.coordinates(flow.to));
        let dims = 0..from.len();
        let half_way = |&d: &usize| {
            let k = grid.dims()[d];
            grid.wraps() && k > 2 && 2 * (self.sizes[d] - 1) == k
        };
        let both: Vec<usize> = dims.clone().filter(half_way).collect();
        let mut forward: Vec<bool> = dims
            .map(|d| grid.displacement(d, from[d], to[d]) >= 0)
            .collect();
        let ways = 1usize << both.len();
        for way in 0..ways {
            for (bit, &d) in both.iter().enumerate() {
                forward[d] = way >> bit & 1 == 0;
            }
            let share = flow.bytes as f64 / ways as f64;
            self.add_way(grid, (&from, &forward), share, bytes);
        }
    }

    fn add_way(
        &self,
        grid: &Grid,
        (from, forward): (&[usize], &[bool]),
        share: f64,
        bytes: &mut [f64],
    ) {
        let Some(last) = from.len().checked_sub(1) else {
            return;
        };
        let row_length = self.sizes[last];
        let mut at = vec![0; from.len()];
        for row in 0..self.leaving[last].len() / row_length {
            let start = (0..last).fold(0, |node, d| {
                let k = grid.dims()[d];
                let c = if forward[d] {
                    (from[d] + at[d]) % k
                } else {
                    (from[d] + k - at[d]) % k
                };
                node * k + c
            }) * grid.dims()[last];
            let cells = row * row_length..(row + 1) * row_length;
            for d in (0..from.len()).filter(|&d| self.sizes[d] > 1) {
                let first = grid.channel(d, forward[d], NodeId::at(start)).index();
                let ring = &mut bytes[first..first + grid.dims()[last]];
                let row = &self.leaving[d][cells.clone()];
                add_row(ring, from[last], forward[last], row, share);
            }
            for d in (0..last).rev() {
                if at[d] + 1 < self.sizes[d] {
                    at[d] += 1;
                    break;
                }
                at[d] = 0;
            }
        }
    }
}

/// Adds `row` times `share` to a ring of channels, starting at `from`, forward or backward, and
/// wrapping around at the end.
fn add_row(ring: &mut [f64], from: usize, forward: bool, row: &[f64], share: f64) {
    let before_end = if forward { ring.len() - from } else { from + 1 };
    let (row, rest) = row.split_at(before_end.min(row.len()));
    let add = |(sum, part): (&mut f64, &f64)| *sum += part * share;
    if forward {
        ring[from..from + row.len()]
            .iter_mut()
            .zip(row)
            .for_each(add);
        ring.iter_mut().zip(rest).for_each(add);
    } else {
        let down = &mut ring[from + 1 - row.len()..=from];
        down.iter_mut().rev().zip(row).for_each(add);
        ring.iter_mut().rev().zip(rest).for_each(add);
    }
}
