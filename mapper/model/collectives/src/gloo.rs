//! Model `gloo`: what Gloo sends for a collective of PyTorch's c10d.
//!
//! Read from Gloo's `allreduce.cc`, `reduce.cc`, `allgather.cc`, `broadcast.cc`, `gather.cc`,
//! `scatter.cc` and `alltoall.cc`. The algorithms do not depend on the size of a call.
//!
//! | operation | algorithm |
//! | --- | --- |
//! | allreduce | reduce-scatter and allgather around a ring, towards the previous member |
//! | reduce-scatter | PyTorch calls Gloo's allreduce |
//! | reduce | reduce-scatter around the same ring, then every part straight to the root |
//! | allgather | around a ring, towards the next member |
//! | broadcast | a binomial tree; the parent of a member lacks its highest bit |
//! | all-to-all, gather, scatter | straight between members |
//!
//! For vectors beyond two segments of a megabyte for each member, Gloo's reduce sends most of the
//! root's part around the ring as well. The model leaves that out.

use super::{Call, Edge, Model, Sink, pairwise, ring, share};
use rankfold_wire::Operation;

/// The model `gloo`.
pub(super) struct Gloo;

impl Model for Gloo {
    described!(
        "gloo",
        "Gloo: sums around a ring backwards, allgather forwards, broadcasts along a binomial tree"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        match call.op {
            Operation::Allreduce | Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                reduce_scatter(call, sink);
                allgather_backwards(call, sink);
            }
            Operation::Reduce => {
                reduce_scatter(call, sink);
                for member in 1..call.members {
                    sink(Edge::once(member, 0, part(call, member)));
                }
            }
            Operation::Bcast => broadcast(call, sink),
            Operation::Allgather | Operation::Allgatherv => ring::allgather(call, sink),
            _ => pairwise::Pairwise.expand(call, sink),
        }
    }

    fn is_dense(&self, call: &Call<'_>) -> bool {
        matches!(
            call.op,
            Operation::Alltoall | Operation::Scan | Operation::Exscan
        )
    }
}

/// The number of members that have the data doubles in each step.
fn broadcast(call: &Call<'_>, sink: Sink<'_>) {
    for member in 1..call.members {
        let parent = member ^ (1 << member.ilog2());
        sink(Edge::once(parent, member, call.whole()));
    }
}

/// The part of the vector that a member sums up. All parts are equal: blocks of members mean
/// nothing here.
fn part(call: &Call<'_>, member: usize) -> u128 {
    share(call.whole(), call.members, member..member + 1)
}

/// Every part travels backwards around the ring and ends at its owner, so a member sends all parts
/// but its own.
fn reduce_scatter(call: &Call<'_>, sink: Sink<'_>) {
    backwards(call, |member| call.whole() - part(call, member), sink);
}

/// Every part travels backwards from its owner, so a member sends all parts but that of the member
/// it sends to.
fn allgather_backwards(call: &Call<'_>, sink: Sink<'_>) {
    let before = |member: usize| (member + call.members - 1) % call.members;
    let bytes = |member| call.whole() - part(call, before(member));
    backwards(call, bytes, sink);
}

/// Every member sends `bytes` to the previous one, in n - 1 messages for n members.
fn backwards(call: &Call<'_>, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
    ring::around(
        call,
        |member| bytes((member + 1) % call.members),
        &mut |edge| {
            sink(edge.reversed());
        },
    );
}

#[cfg(test)]
mod tests {
    use super::super::MpiLibrary;
    use super::*;
    use std::collections::BTreeMap;

    fn pairs(op: Operation, members: usize, bytes: u64) -> Vec<(usize, usize, u128)> {
        let library = MpiLibrary::default();
        let mut sums = BTreeMap::new();
        let call = Call::new(op, members, bytes, &library);
        Gloo.expand(&call, &mut |edge| {
            *sums.entry((edge.from, edge.to)).or_default() += edge.bytes;
        });
        let sums = sums.into_iter();
        sums.map(|((from, to), bytes)| (from, to, bytes)).collect()
    }

    #[test]
    fn an_allreduce_runs_backwards_around_the_ring() {
        let sums = pairs(Operation::Allreduce, 4, 40);
        assert_eq!(sums, [(0, 3, 60), (1, 0, 60), (2, 1, 60), (3, 2, 60)]);
        assert_eq!(pairs(Operation::ReduceScatterBlock, 4, 40), sums);
    }

    #[test]
    fn a_reduction_ends_with_all_parts_at_the_root() {
        let sums = pairs(Operation::Reduce, 3, 30);
        assert_eq!(sums, [(0, 2, 20), (1, 0, 30), (2, 0, 10), (2, 1, 20)]);
    }

    #[test]
    fn a_broadcast_doubles_the_members_that_have_the_data() {
        let sums = pairs(Operation::Bcast, 6, 5);
        let tree = [(0, 1, 5), (0, 2, 5), (0, 4, 5), (1, 3, 5), (1, 5, 5)];
        assert_eq!(sums, tree);
    }

    #[test]
    fn an_allgather_runs_forwards_and_an_all_to_all_straight() {
        let around = [(0, 1, 10), (1, 2, 10), (2, 0, 10)];
        assert_eq!(pairs(Operation::Allgather, 3, 5), around);
        let direct = pairs(Operation::Alltoall, 3, 5);
        assert!(direct.len() == 6 && direct.iter().all(|&(.., bytes)| bytes == 5));
    }
}
