//! Exchanges with partners at distances 1, 2, 4, ...: recursive doubling, and recursive halving,
//! its reverse.
//!
//! Where the members are no power of two, every second one of the first hands its data to the one
//! before it, and gets the result from it in the end, so that a power of two takes part (Thakur,
//! Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH", IJHPCA
//! 19(1), 2005, section 4).

use super::{Call, Edge, Model, Sink, binomial, bruck, share};
use rankfold_profile::Operation;
use std::ops::Range;

/// See the module.
pub(super) struct RecursiveDoubling;

impl Model for RecursiveDoubling {
    fn name(&self) -> &'static str {
        "recursive-doubling"
    }

    fn summary(&self) -> &'static str {
        "exchanges with partners at distances 1, 2, 4, ...; rooted operations along a binomial tree"
    }

    fn expand(&self, call: &Call, sink: Sink<'_>) {
        match call.op {
            Operation::Allgather | Operation::Allgatherv => allgather(call, sink),
            Operation::Allreduce => allreduce(call, sink),
            Operation::ReduceScatter | Operation::ReduceScatterBlock => reduce_scatter(call, sink),
            Operation::Scan | Operation::Exscan => scan(call, sink),
            Operation::Alltoall => alltoall(call, sink),
            _ => binomial::TREE.expand(call, sink),
        }
    }

    fn is_dense(&self, _: &Call) -> bool {
        false
    }
}

/// The largest power of two of the members, each with at most one other behind it.
struct Fold {
    /// How many take part.
    partners: usize,
    /// How many stand behind another.
    behind: usize,
}

impl Fold {
    fn of(members: usize) -> Self {
        let partners = 1 << members.ilog2();
        Self {
            partners,
            behind: members - partners,
        }
    }

    /// The member that is partner `number`.
    fn member(&self, number: usize) -> usize {
        number + number.min(self.behind)
    }

    /// The members that these partners stand for.
    fn members(&self, numbers: Range<usize>) -> Range<usize> {
        self.member(numbers.start)..self.member(numbers.end)
    }

    /// What those behind hand over.
    fn hand_over(&self, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
        for number in 0..self.behind {
            let from = 2 * number + 1;
            sink(Edge {
                from,
                to: from - 1,
                bytes: bytes(from),
                messages: 1,
            });
        }
    }

    /// What they get back.
    fn hand_back(&self, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
        self.hand_over(bytes, &mut |edge| {
            sink(Edge {
                from: edge.to,
                to: edge.from,
                ..edge
            });
        });
    }

    /// At every distance each partner sends what it has, which `bytes` says of the partners it has
    /// it from.
    fn doubling(&self, bytes: impl Fn(Range<usize>) -> u128, sink: Sink<'_>) {
        self.exchange(|own, _| bytes(own), sink);
    }

    /// At every distance each partner sends what its partner's side will end with.
    fn halving(&self, bytes: impl Fn(Range<usize>) -> u128, sink: Sink<'_>) {
        self.exchange(|_, other| bytes(other), sink);
    }

    /// Exchanges at every distance d between neighbouring groups of d partners.
    fn exchange(&self, bytes: impl Fn(Range<usize>, Range<usize>) -> u128, sink: Sink<'_>) {
        let mut distance = 1;
        while distance < self.partners {
            let group = |number: usize| {
                let start = number / distance * distance;
                start..start + distance
            };
            for number in 0..self.partners {
                let other = number ^ distance;
                sink(Edge {
                    from: self.member(number),
                    to: self.member(other),
                    bytes: bytes(group(number), group(other)),
                    messages: 1,
                });
            }
            distance *= 2;
        }
    }
}

pub(super) fn allgather(call: &Call, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    let own = |member: usize| call.parts(member..member + 1);
    fold.hand_over(own, sink);
    fold.doubling(|numbers| call.parts(fold.members(numbers)), sink);
    fold.hand_back(|member| call.whole() - own(member), sink);
}

pub(super) fn allreduce(call: &Call, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    fold.hand_over(|_| call.whole(), sink);
    fold.doubling(|_| call.whole(), sink);
    fold.hand_back(|_| call.whole(), sink);
}

/// Recursive halving.
pub(super) fn reduce_scatter(call: &Call, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    fold.hand_over(|_| call.whole(), sink);
    fold.halving(|numbers| call.parts(fold.members(numbers)), sink);
    fold.hand_back(|member| call.parts(member..member + 1), sink);
}

/// Rabenseifner's allreduce: recursive halving leaves every partner a part of the sum, recursive
/// doubling gathers them.
pub(super) fn halving_doubling(call: &Call, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    let part = |numbers| share(call.whole(), fold.partners, numbers);
    fold.hand_over(|_| call.whole(), sink);
    fold.halving(part, sink);
    fold.doubling(part, sink);
    fold.hand_back(|_| call.whole(), sink);
}

/// Rabenseifner's reduce: recursive halving, then the parts are gathered along a binomial tree.
pub(super) fn halving_gather(call: &Call, sink: Sink<'_>) {
    let fold = Fold::of(call.members);
    let part = |numbers| share(call.whole(), fold.partners, numbers);
    fold.hand_over(|_| call.whole(), sink);
    fold.halving(part, sink);
    binomial::TREE.up(fold.partners, part, &mut |edge| {
        sink(Edge {
            from: fold.member(edge.from),
            to: fold.member(edge.to),
            ..edge
        });
    });
}

/// Sums so far are exchanged at every distance, as far as there is a partner.
pub(super) fn scan(call: &Call, sink: Sink<'_>) {
    let mut distance = 1;
    while distance < call.members {
        for from in 0..call.members {
            let to = from ^ distance;
            if to < call.members {
                sink(Edge {
                    from,
                    to,
                    bytes: call.whole(),
                    messages: 1,
                });
            }
        }
        distance *= 2;
    }
}

/// At every distance each member sends on the half of its blocks that belongs to the other side.
fn alltoall(call: &Call, sink: Sink<'_>) {
    if !call.members.is_power_of_two() {
        return bruck::alltoall(call, sink);
    }
    let half = u128::from(call.bytes) * (call.members / 2) as u128;
    Fold::of(call.members).doubling(|_| half, sink);
}
