//! Graphs made by formula, for tests, examples and benchmarks.
//!
//! The functions panic on invalid arguments, since callers write these into their source.

use crate::{CommGraph, Message, Traffic};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::Rank;

/// A grid of ranks, where cells send messages along offsets. The last dimension varies fastest.
pub struct RankGrid<'a> {
    /// Number of cells along each dimension.
    pub dims: &'a [usize],
    /// Whether each dimension is a ring.
    pub periodic: &'a [bool],
}

impl RankGrid<'_> {
    /// Messages along each offset with the given bytes, in this direction only.
    pub fn messages(&self, offsets: &[(&[i32], u64)]) -> Vec<Message> {
        let ranks: usize = self.dims.iter().product();
        (0..ranks)
            .flat_map(|from| {
                offsets.iter().filter_map(move |(steps, bytes)| {
                    let to = self.neighbour(from, steps)?;
                    Some(message(from, to, *bytes))
                })
            })
            .collect()
    }

    fn neighbour(&self, rank: usize, steps: &[i32]) -> Option<usize> {
        let (mut rest, mut stride, mut to) = (rank, 1, 0);
        for (dim, &k) in self.dims.iter().enumerate().rev() {
            let moved = (rest % k) as i32 + steps[dim];
            let inside = (0..k as i32).contains(&moved);
            if !inside && !self.periodic[dim] {
                return None;
            }
            to += moved.rem_euclid(k as i32) as usize * stride;
            rest /= k;
            stride *= k;
        }
        Some(to)
    }
}

/// A message of `bytes` bytes.
pub fn message(from: usize, to: usize, bytes: u64) -> Message {
    Message {
        from: Rank::at(from),
        to: Rank::at(to),
        bytes,
    }
}

/// The graph of these messages.
///
/// # Panics
/// If a message names a rank that is not less than `ranks`.
pub fn graph(ranks: usize, messages: Vec<Message>) -> CommGraph {
    CommGraph::from_messages(ranks, messages).unwrap()
}

/// Every cell sends 1000 bytes to each neighbour along an axis.
pub fn star_stencil(dims: &[usize], periodic: bool) -> CommGraph {
    let axes: Vec<Vec<i32>> = (0..2 * dims.len())
        .map(|i| {
            let mut steps = vec![0; dims.len()];
            steps[i / 2] = if i % 2 == 0 { 1 } else { -1 };
            steps
        })
        .collect();
    stencil(dims, periodic, &axes)
}

/// Every cell sends 1000 bytes to each neighbour, including diagonals.
pub fn box_stencil(dims: &[usize], periodic: bool) -> CommGraph {
    let cells = 3usize.pow(dims.len() as u32);
    let offsets: Vec<Vec<i32>> = (0..cells)
        .filter(|&c| c != cells / 2)
        .map(|c| {
            (0..dims.len() as u32)
                .map(|d| (c / 3usize.pow(d) % 3) as i32 - 1)
                .collect()
        })
        .collect();
    stencil(dims, periodic, &offsets)
}

/// Every cell sends 1000 bytes along each offset.
pub fn stencil(dims: &[usize], periodic: bool, offsets: &[Vec<i32>]) -> CommGraph {
    let grid = RankGrid {
        dims,
        periodic: &vec![periodic; dims.len()],
    };
    let offsets: Vec<(&[i32], u64)> = offsets.iter().map(|o| (&o[..], 1000)).collect();
    graph(dims.iter().product(), grid.messages(&offsets))
}

/// The same graph with randomly renumbered ranks.
pub fn shuffled(graph: &CommGraph) -> CommGraph {
    let mut to: Vec<usize> = (0..graph.ranks()).collect();
    to.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(1));
    let messages = graph.messages();
    let messages = messages.map(|m| message(to[m.from.index()], to[m.to.index()], m.bytes));
    self::graph(to.len(), messages.collect())
}

/// Sender, receiver, bytes and messages of every entry.
pub fn entries_of(traffic: &Traffic) -> Vec<(u32, u32, u64, u64)> {
    let entries = traffic.entries();
    entries
        .map(|e| (e.from.0, e.to.0, e.bytes, e.messages))
        .collect()
}
