//! Broadcasts of MVAPICH2: among the leaders of all hosts, then inside of every host.

use super::layout::Layout;
use super::tables::BCAST;
use crate::library::hosts::Stage;
use crate::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::library::trees;
use crate::{Call, Sink, binomial};
use rankfold_wire::Operation;

/// The radix of trees that start at the host of the root.
const RADIX: usize = 4;

pub(super) fn expand(layout: &Layout<'_>, sink: Sink<'_>) {
    let (call, whole) = (layout.call, layout.call.whole());
    let algorithm = if layout.is_short() {
        '8'
    } else {
        layout.algorithm(&BCAST)
    };
    // Trees with a radix of their own are set up once and start at rank 0, whichever rank is the
    // root.
    let first = if algorithm.is_ascii_digit() {
        0
    } else {
        layout.leader_of_root()
    };
    layout.send(call.root, first, whole, sink);
    let stage = Stage::once(Operation::Bcast, whole);
    layout.between(
        stage,
        first,
        |part, sink| among(part, algorithm, sink),
        sink,
    );
    layout.inside(Operation::Bcast, whole, sink);
}

/// Broadcasts among the leaders.
fn among(part: &Call<'_>, algorithm: char, sink: Sink<'_>) {
    match algorithm {
        'b' => binomial::TREE.expand(part, sink),
        'd' => scatter_allgather(part, Gathering::Doubling, sink),
        'r' => scatter_allgather(part, Gathering::Ring, sink),
        radix => {
            let radix = radix.to_digit(10).map_or(RADIX, |radix| radix as usize);
            let parent = |member| trees::lowest_digit(member, radix);
            trees::down(part.members, part.whole(), parent, sink);
        }
    }
}
