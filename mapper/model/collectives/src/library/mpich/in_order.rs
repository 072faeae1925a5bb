//! Reduce-scatters of MPICH whose operator does not commute.
//!
//! Source: `src/mpi/coll/reduce_scatter/reduce_scatter_intra_noncommutative.c` and
//! `reduce_scatter_intra_recursive_doubling.c` of MPICH 5.0.1.

use crate::{Call, Edge, Sink, gathered};

/// Whether the members are a power of two and have equal blocks.
pub(super) fn can_halve(call: &Call<'_>) -> bool {
    call.members.is_power_of_two() && call.blocks.is_empty()
}

/// Recursive halving, the nearest members first. Every member has put its blocks in the order of
/// the mirrored bits of their numbers, so that each ends with its own block.
pub(super) fn halving(call: &Call<'_>, sink: Sink<'_>) {
    let mut distance = 1;
    while distance < call.members {
        let bytes = call.whole() / (2 * distance) as u128;
        for from in 0..call.members {
            sink(Edge::once(from, from ^ distance, bytes));
        }
        distance *= 2;
    }
}

/// Every member sends the others all blocks but those of the members it has the sums of.
pub(super) fn doubling(call: &Call<'_>, sink: Sink<'_>) {
    let others = |own, _| call.whole() - call.parts(own);
    gathered::doubling(call.members, others, sink);
}
