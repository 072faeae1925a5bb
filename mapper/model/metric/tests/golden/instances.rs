//! Communication graphs and placements made by formula, so that the expected numbers need no data
//! files.

use rankfold_base::{Placement, Rank, SlotId};
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::Machine;

/// A halo exchange with the nearest neighbours of an open grid, 1024 bytes each. The last dimension
/// varies fastest.
pub(crate) fn stencil(dims: &[usize]) -> CommGraph {
    let ranks: usize = dims.iter().product();
    let mut messages = Vec::new();
    let mut stride = ranks;
    for &k in dims {
        stride /= k;
        for rank in (0..ranks).filter(|r| r / stride % k + 1 < k) {
            messages.push(message(rank, rank + stride, 1024));
            messages.push(message(rank + stride, rank, 1024));
        }
    }
    graph(ranks, messages)
}

/// The same halo exchange in a cube, and 64 bytes to each of the eight neighbours across the
/// corners.
pub(crate) fn corners(side: usize) -> CommGraph {
    let ranks = side.pow(3);
    let at = |rank: usize| [rank / side / side, rank / side % side, rank % side];
    let mut messages: Vec<Message> = stencil(&[side; 3]).messages().collect();
    for (from, to) in (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b))) {
        let (a, b) = (at(from), at(to));
        if (0..3).all(|dim| a[dim].abs_diff(b[dim]) == 1) {
            messages.push(message(from, to, 64));
        }
    }
    graph(ranks, messages)
}

/// An all-to-all of 1024 bytes within each column of a `rows` x `columns` grid of ranks.
pub(crate) fn column_alltoall(rows: usize, columns: usize) -> CommGraph {
    let ranks = rows * columns;
    let messages = (0..ranks).flat_map(|from| {
        (from % columns..ranks)
            .step_by(columns)
            .map(move |to| message(from, to, 1024))
    });
    graph(ranks, messages)
}

/// Six pseudo-random partners for each rank, with 1 to 100,000 bytes in each direction.
pub(crate) fn irregular(ranks: usize) -> CommGraph {
    let mut state = 1u64;
    let mut random = move |below: u64| {
        // Knuth's MMIX generator; its high bits are the more random ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut messages = Vec::new();
    for from in 0..ranks {
        for _ in 0..6 {
            let to = random(ranks as u64) as usize;
            messages.push(message(from, to, 1 + random(100_000)));
        }
    }
    graph(ranks, messages)
}

/// Rank r in slot `r * stride` modulo the number of slots. `stride` must be coprime to this number.
pub(crate) fn strided(graph: &CommGraph, machine: &Machine, stride: usize) -> Placement {
    let slots = machine.slots().len();
    Placement::new(
        (0..graph.ranks())
            .map(|r| SlotId::at(r * stride % slots))
            .collect(),
    )
}

fn message(from: usize, to: usize, bytes: u64) -> Message {
    Message {
        from: Rank::at(from),
        to: Rank::at(to),
        bytes,
    }
}

fn graph(ranks: usize, messages: impl IntoIterator<Item = Message>) -> CommGraph {
    CommGraph::from_messages(ranks, messages).expect("the formulas are right")
}
