//! Model `recursive-doubling`: exchanges with partners at distances 1, 2, 4, ... Recursive halving
//! is the same in reverse order.
//!
//! ```text
//! distance 1:  0 <-> 1   2 <-> 3   4 <-> 5   6 <-> 7
//! distance 2:  0 <-> 2   1 <-> 3   4 <-> 6   5 <-> 7
//! distance 4:  0 <-> 4   1 <-> 5   2 <-> 6   3 <-> 7
//! ```
//!
//! Source: Thakur, Rabenseifner & Gropp, "Optimization of collective communication operations in
//! MPICH", IJHPCA 19(1), 2005, section 4. If the number of members n is no power of two, surplus
//! members are folded first: each hands its data to the member after it, which takes part for both
//! and returns the result at the end. log2(n) steps, n edges a step.

use super::{Call, Edge, Model, Sink, binomial, bruck};
use rankfold_wire::Operation;
use std::ops::Range;

/// The model `recursive-doubling`.
pub(super) struct RecursiveDoubling;

impl Model for RecursiveDoubling {
    described!(
        "recursive-doubling",
        "exchanges with partners at distances 1, 2, 4, ...; rooted operations along a binomial tree"
    );

    fn expand(&self, call: &Call<'_>, sink: Sink<'_>) {
        match call.op {
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::Allreduce => allreduce(call, sink),
            Operation::ReduceScatter | Operation::ReduceScatterBlock => reduce_scatter(call, sink),
            Operation::Scan | Operation::Exscan => scan(call, sink),
            Operation::Alltoall => alltoall(call, sink),
            _ => binomial::TREE.expand(call, sink),
        }
    }
}

/// Reduces any number of members to fewer partners. The surplus members are the members
/// 0, 2, 4, ...; each hands its data to the member after it.
pub(super) struct Fold {
    /// Number of partners. Doubling and halving need a power of two.
    pub(super) partners: usize,
    /// Number of surplus members.
    behind: usize,
}

impl Fold {
    pub(super) fn of(members: usize) -> Self {
        Self::onto(members, 1 << members.ilog2())
    }

    /// Any number of partners that is at least half the number of members.
    pub(super) fn onto(members: usize, partners: usize) -> Self {
        Self {
            partners,
            behind: members - partners,
        }
    }

    /// The member that acts as partner `number`.
    pub(super) fn member(&self, number: usize) -> usize {
        number + self.behind.min(number + 1)
    }

    /// The members whose data these partners carry.
    pub(super) fn members(&self, numbers: Range<usize>) -> Range<usize> {
        let first = |number: usize| number + self.behind.min(number);
        first(numbers.start)..first(numbers.end)
    }

    /// Edges from every surplus member to its partner before the exchanges. `bytes` is asked with
    /// the number of the surplus member.
    pub(super) fn hand_over(&self, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
        for number in 0..self.behind {
            let from = 2 * number;
            sink(Edge::once(from, from + 1, bytes(from)));
        }
    }

    /// Edges from the partners back to the surplus members after the exchanges.
    pub(super) fn hand_back(&self, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
        self.hand_over(bytes, &mut |edge| {
            sink(edge.reversed());
        });
    }

    /// Doubling: at every distance, each partner sends all it has gathered. `bytes` gives the size
    /// of what a group of partners has gathered.
    fn doubling(&self, bytes: impl Fn(Range<usize>) -> u128, sink: Sink<'_>) {
        self.exchange(|own, _| bytes(own), sink);
    }

    /// Halving: at every distance, each partner sends what the other partner's group is to keep.
    /// `bytes` gives its size for a group of partners.
    fn halving(&self, bytes: impl Fn(Range<usize>) -> u128, sink: Sink<'_>) {
        self.exchange(|_, other| bytes(other), sink);
    }

    /// Edges at every distance d between neighbouring groups of d partners. `bytes` is asked with
    /// the sender's and the receiver's group.
    fn exchange(&self, bytes: impl Fn(Range<usize>, Range<usize>) -> u128, sink: Sink<'_>) {
        let mut distance = 1;
        while distance < self.partners {
            let group = |number: usize| {
                let start = number / distance * distance;
                start..start + distance
            };
            for number in 0..self.partners {
                let other = number ^ distance;
                sink(Edge::once(
                    self.member(number),
                    self.member(other),
                    bytes(group(number), group(other)),
                ));
            }
            distance *= 2;
        }
    }
}

pub(super) fn allgather(call: &Call<'_>, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    let own = |member: usize| call.parts(member..member + 1);
    fold.hand_over(own, sink);
    fold.doubling(|numbers| call.parts(fold.members(numbers)), sink);
    fold.hand_back(|member| call.whole() - own(member), sink);
}

pub(super) fn allreduce(call: &Call<'_>, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    fold.hand_over(|_| call.whole(), sink);
    fold.doubling(|_| call.whole(), sink);
    fold.hand_back(|_| call.whole(), sink);
}

/// Reduce-scatter by recursive halving.
pub(super) fn reduce_scatter(call: &Call<'_>, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    fold.hand_over(|_| call.whole(), sink);
    fold.halving(|numbers| call.parts(fold.members(numbers)), sink);
    fold.hand_back(|member| call.parts(member..member + 1), sink);
}

/// Scan: partial sums are exchanged at every distance where the partner exists.
pub(super) fn scan(call: &Call<'_>, sink: Sink<'_>) {
    let mut distance = 1;
    while distance < call.members {
        for from in 0..call.members {
            let to = from ^ distance;
            if to < call.members {
                sink(Edge::once(from, to, call.whole()));
            }
        }
        distance *= 2;
    }
}

/// Alltoall for powers of two: at every distance each member forwards the half of its blocks that
/// belongs to the partner's side. Other numbers of members use Bruck's algorithm.
fn alltoall(call: &Call<'_>, sink: Sink<'_>) {
    if !call.members.is_power_of_two() {
        return bruck::alltoall(call, sink);
    }
    let half = u128::from(call.bytes) * (call.members / 2) as u128;
    Fold::of(call.members).doubling(|_| half, sink);
}
