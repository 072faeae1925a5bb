//! Allgather and allgatherv of Open MPI. Source: `ompi/mca/coll/base/coll_base_allgather.c` and
//! `coll_base_allgatherv.c`.

use super::algorithm;
use crate::{Call, Edge, Sink, bruck, recursive, ring, star};
use rankfold_wire::Operation;

/// Expands an allgather.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | gather to rank 0, then broadcast |
/// | 2 | Bruck |
/// | 3 | recursive doubling; Bruck if the number of members is no power of two |
/// | 4 | ring |
/// | 5 | neighbour exchange; ring if the number of members is odd |
/// | 6 | exchange of two members |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let number = algorithm(call, "allgather", call.size());
    match number {
        1 => {
            super::expand(&call.stage(Operation::Gather, call.bytes.into()), sink);
            super::expand(&call.stage(Operation::Bcast, call.whole()), sink);
        }
        3 if call.members.is_power_of_two() => recursive::allgather(call, sink),
        4 => ring::allgather(call, sink),
        5 => neighbours(call, sink),
        _ => bruck::allgather(call, sink),
    }
}

/// Expands an allgatherv.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | linear gather to rank 0, then broadcast of all blocks as one element |
/// | 2 | Bruck |
/// | 3 | ring |
/// | 4 | neighbour exchange; ring if the number of members is odd |
/// | 5 | exchange of two members |
pub(super) fn expand_uneven(call: &Call<'_>, sink: Sink<'_>) {
    let mean = call.size() / call.members as u64;
    let number = algorithm(call, "allgatherv", mean);
    match number {
        1 => {
            star::TREE.up(call.members, |branch| call.parts(branch), sink);
            let element = Some(call.size());
            let bcast = call.stage(Operation::Bcast, call.whole());
            super::expand(&Call { element, ..bcast }, sink);
        }
        3 => ring::allgather(call, sink),
        4 => neighbours(call, sink),
        _ => bruck::allgather(call, sink),
    }
}

/// Neighbour exchange: every member exchanges its own block with its partner in the pairs (0, 1),
/// (2, 3), ..., and from then on, with its neighbours in turn, the two blocks it received last.
fn neighbours(call: &Call<'_>, sink: Sink<'_>) {
    let members = call.members;
    if members % 2 == 1 {
        return ring::allgather(call, sink);
    }
    let neighbour = |member: usize, step: usize| match (member + step) % 2 {
        0 => (member + 1) % members,
        _ => (member + members - 1) % members,
    };
    for member in 0..members {
        sink(Edge::once(member, neighbour(member, 0), call.part(member)));
    }
    // The pair of blocks that each pair of members holds last, by the number of its first block.
    let mut last: Vec<usize> = (0..members).map(|member| member / 2 * 2).collect();
    for step in 1..members / 2 {
        for (member, &first) in last.iter().enumerate() {
            let bytes = call.parts(first..first + 2);
            sink(Edge::once(member, neighbour(member, step), bytes));
        }
        last = (0..members)
            .map(|member| last[neighbour(member, step)])
            .collect();
    }
}
