//! Reduce-scatter by a butterfly.
//!
//! Source: Träff, "An improved algorithm for (non-commutative) reduce-scatter with an
//! application",
//! EuroPVM/MPI 2005, as `ompi_coll_base_reduce_scatter_intra_butterfly` of Open MPI carries it out.

use crate::recursive::Fold;
use crate::{Call, Edge, Sink};
use std::ops::Range;

/// The partners halve the vector, the nearest ones first, which leaves every partner the block of
/// the partner whose number is its own with the bits in reverse order. The block then goes there,
/// or to the surplus member that it belongs to.
pub(super) fn reduce_scatter(call: &Call<'_>, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    fold.hand_over(|_| call.whole(), sink);
    halve(call, &fold, sink);
    for from in 0..fold.partners {
        let owner = kept(fold.partners, from, fold.partners).start;
        for member in fold.members(owner..owner + 1) {
            if member != fold.member(from) {
                sink(Edge::once(fold.member(from), member, call.part(member)));
            }
        }
    }
}

/// Reduce-scatter with equal blocks. If the number of members is a power of two, blocks are sorted
/// before they are halved, so that every member ends with its own block.
pub(super) fn reduce_scatter_equal(call: &Call<'_>, sink: Sink<'_>) {
    if call.members.is_power_of_two() {
        halve(call, &Fold::of(call.members), sink);
    } else {
        reduce_scatter(call, sink);
    }
}

fn halve(call: &Call<'_>, fold: &Fold, sink: Sink<'_>) {
    for bit in 0..fold.partners.ilog2() {
        for from in 0..fold.partners {
            let to = from ^ (1 << bit);
            let bytes = call.parts(fold.members(kept(fold.partners, to, 2 << bit)));
            sink(Edge::once(fold.member(from), fold.member(to), bytes));
        }
    }
}

/// The blocks that a partner keeps after the exchanges with all partners nearer than `distance`.
fn kept(partners: usize, partner: usize, distance: usize) -> Range<usize> {
    let bits = (0..distance.ilog2()).filter(|bit| partner >> bit & 1 == 1);
    let start = bits.map(|bit| partners >> (bit + 1)).sum();
    start..start + partners / distance
}
