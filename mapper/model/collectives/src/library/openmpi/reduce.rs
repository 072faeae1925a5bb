//! Reductions to a root of Open MPI. Source: `ompi/mca/coll/base/coll_base_reduce.c`.

use super::{algorithm_of_reduction, chains};
use crate::library::trees;
use crate::rabenseifner::{self, Folding, Rabenseifner};
use crate::{Call, Edge, Sink, binomial, star};

/// Expands a reduction.
///
/// | number | algorithm |
/// |---|---|
/// | 1 | linear |
/// | 2 | chains: one in the fixed rules |
/// | 3 | pipeline: one chain |
/// | 4 | binary tree |
/// | 5 | binomial tree |
/// | 6 | binary tree over ranks in order; its last rank sends the result to the root |
/// | 7 | Rabenseifner; linear if there are fewer elements than partners, or operands in order |
pub(super) fn expand(call: &Call<'_>, sink: Sink<'_>) {
    let (members, whole) = (call.members, call.whole());
    let number = algorithm_of_reduction(call, "reduce", "reduce_in_order", call.size());
    let along = |chains| move |member| trees::chain(member, members, chains);
    match number {
        2 => trees::up(members, whole, along(chains(call)), sink),
        3 => trees::up(members, whole, along(1), sink),
        4 => trees::up(members, whole, |member| trees::levels(member, 2), sink),
        5 => binomial::TREE.up(members, |_| whole, sink),
        6 => in_order(call, sink),
        7 if rabenseifner::is_divisible(call) && !call.form.is_ordered() => {
            Rabenseifner::of(members, Folding::Halves).reduce(call, sink);
        }
        _ => star::TREE.up(members, |_| whole, sink),
    }
}

fn in_order(call: &Call<'_>, sink: Sink<'_>) {
    let last = call.members - 1;
    for (rank, parent) in trees::in_order(call.members).into_iter().enumerate() {
        if rank != last {
            let (from, to) = (call.counted_from_root(rank), call.counted_from_root(parent));
            sink(Edge::once(from, to, call.whole()));
        }
    }
    if call.root != last {
        sink(Edge::once(call.counted_from_root(last), 0, call.whole()));
    }
}
