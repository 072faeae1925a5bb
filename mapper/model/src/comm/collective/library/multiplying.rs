//! Recursive multiplying and recursive exchange: members exchange data in groups of several.

use crate::comm::collective::recursive::Fold;
use crate::comm::collective::{Call, Edge, Sink};

/// Allreduce. In every step, groups of `radix` partners at one distance from each other exchange
/// their whole vectors; the last step may have smaller groups. There are as many partners as groups
/// of at most `radix` in every step allow.
pub(super) fn allreduce(call: &Call<'_>, radix: usize, sink: Sink<'_>) {
    let steps = steps(call.members, radix);
    let fold = Fold::onto(call.members, steps.iter().product());
    fold.hand_over(|_| call.whole(), sink);
    let mut distance = 1;
    for size in steps {
        for from in 0..fold.partners {
            let first = from - from / distance % size * distance;
            for to in (0..size).map(|number| first + number * distance) {
                if to != from {
                    sink(Edge::once(fold.member(from), fold.member(to), call.whole()));
                }
            }
        }
        distance *= size;
    }
    fold.hand_back(|_| call.whole(), sink);
}

/// The size of the groups in every step.
fn steps(members: usize, radix: usize) -> Vec<usize> {
    let mut steps = Vec::new();
    let mut partners = 1;
    while partners * radix <= members {
        steps.push(radix);
        partners *= radix;
    }
    if members / partners > 1 {
        steps.push(members / partners);
    }
    steps
}

/// Which members are surplus in a recursive exchange. Each is a neighbour of the member that takes
/// part for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surplus {
    /// The members 0, 2, 4, ...
    Even,
    /// The members 1, 3, 5, ...
    Odd,
}

/// Allgather by recursive exchange with radix 2. Surplus members hand over their blocks and get all
/// blocks back.
pub(super) fn allgather(call: &Call<'_>, surplus: Surplus, sink: Sink<'_>) {
    let partners = 1 << call.members.ilog2();
    let pairs = call.members - partners;
    // The first member whose block a partner holds.
    let first = |number: usize| number + number.min(pairs);
    let member =
        |number: usize| first(number) + usize::from(surplus == Surplus::Even && number < pairs);
    for number in 0..pairs {
        let own = member(number);
        let other = own ^ 1;
        sink(Edge::once(other, own, call.part(other)));
        sink(Edge::once(own, other, call.whole()));
    }
    let mut distance = 1;
    while distance < partners {
        for from in 0..partners {
            let start = from / distance * distance;
            let held = call.parts(first(start)..first(start + distance));
            sink(Edge::once(member(from), member(from ^ distance), held));
        }
        distance *= 2;
    }
}
