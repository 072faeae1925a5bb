//! Reductions of MVAPICH2: inside of every host, then among the leaders of all hosts.

use super::layout::{Expand, Layout};
use super::tables::{ALLREDUCE, REDUCE};
use crate::library::hosts::Stage;
use crate::library::trees;
use crate::rabenseifner::{self, Folding, Rabenseifner};
use crate::{Call, Sink, binomial, pairwise, recursive, ring};
use rankfold_wire::Operation;

/// The radix of trees.
const RADIX: usize = 4;
/// Up to this size, a reduction in stages goes along a tree to rank 0: variable `mv2_shm_slot_len`.
const TO_FIRST: u64 = 8192;
/// Up to this size, allreduces are in stages without a look at the table: variable
/// `mv2_topo_aware_allreduce_max_msg`.
const ALLREDUCE_SHORT: u64 = 2048;
/// Vectors of an allreduce from this many bytes on go around a ring in the order of the hosts. On
/// hosts of at most [`HALVED_EACH`] members whose ranks do not follow each other, they are halved
/// and doubled in that order.
const ALLREDUCE_LONG: u64 = 2 << 20;
const HALVED_EACH: usize = 8;
/// The bytes from which an allreduce goes around a ring in the order of the hosts, if the ranks of
/// a host do not follow each other.
const ALLREDUCE_SCATTERED: u64 = 1 << 20;
/// The bytes from which a reduce-scatter goes around a ring in the order of the hosts, if the ranks
/// of every host follow each other.
const REDUCE_SCATTER_LONG: u128 = 128 << 10;
/// The bytes from which a reduce-scatter goes around a ring in the order of the hosts, if the ranks
/// of a host do not follow each other.
const REDUCE_SCATTER_SCATTERED: u128 = 1 << 10;
/// The most members, the largest vector that is reduced to rank 0 and scattered, and the largest
/// one that is halved. Source: the last table of `red_scat_tuning.c`. Larger vectors than
/// [`REDUCE_SCATTER_LONG`] are not looked up.
const REDUCE_SCATTER: [(usize, u128, u128); 7] = [
    (8, 256, 16 << 10),
    (16, 64, 64 << 10),
    (32, 64, 128 << 10),
    (64, 1024, 256 << 10),
    (128, 128, 64 << 10),
    (256, 128, 64 << 10),
    (usize::MAX, 256, 64 << 10),
];
/// The most members and the largest vector for which all members send to each other.
const PAIRWISE: (usize, u128) = (8, 64 << 10);

pub(super) fn reduce(layout: &Layout<'_>, sink: Sink<'_>) {
    let algorithm = if layout.is_short() {
        'b'
    } else {
        layout.algorithm(&REDUCE)
    };
    match algorithm {
        'K' => along_tree(layout.call, sink),
        'B' | 'G' => layout.by_host(|call, sink| reduce_among(call, algorithm, sink), sink),
        _ => reduce_in_stages(layout, algorithm, sink),
    }
}

fn reduce_in_stages(layout: &Layout<'_>, algorithm: char, sink: Sink<'_>) {
    let (call, whole) = (layout.call, layout.call.whole());
    let stage = Stage::once(Operation::Reduce, whole);
    layout.inside(Operation::Reduce, whole, sink);
    let last = if call.size() <= TO_FIRST {
        layout.between(stage, 0, along_tree, sink);
        0
    } else {
        let leader = layout.leader_of_root();
        let among = |part: &Call<'_>, sink: Sink<'_>| reduce_among(part, algorithm, sink);
        layout.between(stage, leader, among, sink);
        leader
    };
    layout.send(last, call.root, whole, sink);
}

fn reduce_among(call: &Call<'_>, algorithm: char, sink: Sink<'_>) {
    match algorithm.to_ascii_lowercase() {
        'k' => along_tree(call, sink),
        'g' if rabenseifner::is_divisible(call) => {
            Rabenseifner::of(call.members, Folding::ToEven).reduce(call, sink);
        }
        _ => binomial::TREE.expand(call, sink),
    }
}

fn along_tree(call: &Call<'_>, sink: Sink<'_>) {
    let parent = |member| trees::lowest_digit(member, RADIX);
    trees::up(call.members, call.whole(), parent, sink);
}

pub(super) fn allreduce(layout: &Layout<'_>, sink: Sink<'_>) {
    let (size, is_blocked) = (layout.call.size(), layout.is_blocked());
    let algorithm = match layout.each() {
        Some(_) if size <= ALLREDUCE_SHORT => 'd',
        Some(..=HALVED_EACH) if size >= ALLREDUCE_LONG && !is_blocked => 'S',
        Some(_) if size >= ALLREDUCE_LONG || !is_blocked && size >= ALLREDUCE_SCATTERED => {
            return layout.by_host(ring::allreduce, sink);
        }
        _ => layout.algorithm(&ALLREDUCE),
    };
    let among = |call: &Call<'_>, sink: Sink<'_>| allreduce_among(call, algorithm, sink);
    match algorithm {
        'D' => among(layout.call, sink),
        'S' => layout.by_host(among, sink),
        _ => {
            let whole = layout.call.whole();
            layout.inside(Operation::Reduce, whole, sink);
            layout.between(Stage::once(Operation::Allreduce, whole), 0, among, sink);
            layout.inside(Operation::Bcast, whole, sink);
        }
    }
}

fn allreduce_among(call: &Call<'_>, algorithm: char, sink: Sink<'_>) {
    if algorithm.eq_ignore_ascii_case(&'s') && rabenseifner::is_divisible(call) {
        Rabenseifner::of(call.members, Folding::ToOdd).allreduce(call, sink);
    } else {
        recursive::allreduce(call, sink);
    }
}

pub(super) fn reduce_scatter(layout: &Layout<'_>, expand: Expand, sink: Sink<'_>) {
    let call = layout.call;
    let size = call.whole_size();
    let is_scattered = !layout.is_blocked() && size >= REDUCE_SCATTER_SCATTERED;
    let row = REDUCE_SCATTER
        .iter()
        .find(|(most, ..)| call.members <= *most);
    let (_, to_first, halved) = *row.unwrap_or(&REDUCE_SCATTER[REDUCE_SCATTER.len() - 1]);
    if is_scattered || size >= REDUCE_SCATTER_LONG {
        layout.by_host(ring::reduce_scatter, sink);
    } else if size <= to_first {
        expand(&call.stage(Operation::Reduce, call.whole()), sink);
        let block = call.whole() / call.members as u128;
        expand(&call.stage(Operation::Scatter, block), sink);
    } else if size <= halved {
        recursive::reduce_scatter(call, sink);
    } else if call.members <= PAIRWISE.0 && size <= PAIRWISE.1 {
        pairwise::reduce_scatter(call, sink);
    } else {
        layout.by_host(ring::reduce_scatter, sink);
    }
}
