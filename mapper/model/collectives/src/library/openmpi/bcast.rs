//! Broadcasts of Open MPI. Source: `ompi/mca/coll/base/coll_base_bcast.c`.

use super::{algorithm, chains, option};
use crate::library::scatter_allgather::{Gathering, scatter_allgather};
use crate::library::trees;
use crate::{Call, Edge, Sink, share, star};

/// Radix of the trees of algorithm 7 where `coll_tuned_bcast_algorithm_knomial_radix` is not set.
const RADIX: u64 = 4;

/// Expands a broadcast.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | linear |
/// | 2 | chains: one in the fixed rules |
/// | 3 | pipeline: one chain |
/// | 4 | two halves down the two branches of a binary tree, then exchanged between the branches |
/// | 5 | binary tree |
/// | 6 | binomial tree |
/// | 7 | tree of radix 4 |
/// | 8 | binomial scatter, then allgather by recursive doubling |
/// | 9 | binomial scatter, then allgather around the ring |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let (members, whole, elements) = (call.members, call.whole(), call.elements());
    let number = algorithm(call, "bcast", call.size());
    let along = |chains| move |member| trees::chain(member, members, chains);
    match number {
        2 => trees::down(members, whole, along(chains(call)), sink),
        3 => trees::down(members, whole, along(1), sink),
        4 if elements < 2 => trees::down(members, whole, along(1), sink),
        4 => split_binary(call, elements, sink),
        5 => trees::down(members, whole, |member| trees::levels(member, 2), sink),
        6 => trees::down(members, whole, trees::highest_bit, sink),
        7 => {
            let radix = option(call, "coll_tuned_bcast_algorithm_knomial_radix", RADIX);
            trees::down(
                members,
                whole,
                |member| trees::lowest_digit(member, radix.max(2)),
                sink,
            );
        }
        8 if elements >= members as u64 => {
            scatter_allgather(call, elements, Gathering::Doubling, sink);
        }
        9 if elements >= members as u64 => {
            scatter_allgather(call, elements, Gathering::Ring, sink);
        }
        _ => star::TREE.expand(call, sink),
    }
}

/// The first half of the message goes down the branch of the odd members, the second half down that
/// of the even members; then each odd member exchanges halves with the even member after it. With
/// an even number of members, the last member has no partner and gets its second half from the
/// root.
fn split_binary(call: &Call<'_>, elements: u64, sink: Sink<'_>) {
    let count = usize::try_from(elements).unwrap_or(usize::MAX);
    let first = share(call.whole(), count, 0..count.div_ceil(2));
    let second = call.whole() - first;
    let half = |member: usize| if member % 2 == 1 { first } else { second };
    for member in 1..call.members {
        sink(Edge::once(trees::levels(member, 2), member, half(member)));
    }
    for odd in (1..call.members).step_by(2) {
        if odd + 1 < call.members {
            sink(Edge::once(odd, odd + 1, first));
            sink(Edge::once(odd + 1, odd, second));
        } else {
            sink(Edge::once(0, odd, second));
        }
    }
}
