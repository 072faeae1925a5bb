//! Recursive doubling among any number of members.

use super::{Edge, Sink};
use std::ops::Range;

/// At every distance d, aligned groups of d members exchange what they have with the neighbouring
/// group. A member without a partner, since the neighbouring group is not full, gets what its group
/// received from the members that have a partner, along a binomial tree.
///
/// `bytes` gives what a message carries, from the members whose data the sender's group has
/// gathered and those whose data the other group has.
///
/// Source: `ompi_coll_base_bcast_intra_scatter_allgather` and
/// `ompi_coll_base_reduce_scatter_block_intra_recursivedoubling` of Open MPI, which follow MPICH.
pub(super) fn doubling(
    members: usize,
    bytes: impl Fn(Range<usize>, Range<usize>) -> u128,
    sink: Sink<'_>,
) {
    let mut distance = 1;
    while distance < members {
        let group = |member: usize| {
            let start = member / distance * distance;
            start.min(members)..(start + distance).min(members)
        };
        for from in 0..members {
            let to = from ^ distance;
            if to < members {
                sink(Edge::once(from, to, bytes(group(from), group(to))));
            }
        }
        let last = members / (2 * distance) * (2 * distance);
        if members - last > distance {
            let partners = members - last - distance;
            let received = bytes(group(last + distance), group(last));
            spread(last, distance, partners, received, sink);
        }
        distance *= 2;
    }
}

/// Sends what the first `partners` of the `distance` members from `start` on have received to the
/// others.
fn spread(start: usize, distance: usize, partners: usize, bytes: u128, sink: Sink<'_>) {
    let mut step = distance / 2;
    while step > 0 {
        for from in start..start + distance {
            let to = from ^ step;
            let having = from / (2 * step) * (2 * step) + partners;
            if to > from && from < having && to >= having {
                sink(Edge::once(from, to, bytes));
            }
        }
        step /= 2;
    }
}
