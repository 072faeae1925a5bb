//! Non-blocking operations of Open MPI's component `libnbc`, which `han` uses between hosts.
//!
//! Source: `ompi/mca/coll/libnbc/nbc_ibcast.c` and `nbc_ireduce.c` of Open MPI 5.0.10. In the trees
//! here, the root and rank 0 change their numbers, and all other ranks keep theirs.

use crate::comm::collective::library::trees;
use crate::comm::collective::rabenseifner::{self, Folding, Rabenseifner};
use crate::comm::collective::{Call, Edge, Sink, star};

/// Most members to which the root sends directly.
const LINEAR_MEMBERS: usize = 4;

/// Expands a broadcast: linear among few members, otherwise along a binomial tree.
pub(super) fn bcast(call: &Call<'_>, sink: Sink<'_>) {
    let members = call.members;
    if members <= LINEAR_MEMBERS {
        return star::TREE.down(members, |_| call.whole(), sink);
    }
    trees::down(members, call.whole(), trees::highest_bit, &mut |edge| {
        sink(renumbered(call, edge));
    });
}

/// Expands a reduction: after Rabenseifner if there are at least as many elements as partners,
/// otherwise along a binomial tree.
pub(super) fn reduce(call: &Call<'_>, sink: Sink<'_>) {
    let members = call.members;
    if members > 2 && rabenseifner::is_divisible(call) {
        return Rabenseifner::of(members, Folding::Halves).reduce(call, sink);
    }
    let parent = |member| trees::lowest_digit(member, 2);
    trees::up(members, call.whole(), parent, &mut |edge| {
        sink(renumbered(call, edge));
    });
}

/// Turns an edge between numbers of the tree into one between members, which models count from the
/// root.
fn renumbered(call: &Call<'_>, edge: Edge) -> Edge {
    let member = |number: usize| {
        let rank = match number {
            0 => call.root,
            number if number == call.root => 0,
            number => number,
        };
        call.counted_from_root(rank)
    };
    Edge {
        from: member(edge.from),
        to: member(edge.to),
        ..edge
    }
}
