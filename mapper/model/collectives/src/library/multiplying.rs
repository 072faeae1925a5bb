//! Recursive multiplying and recursive exchange: members exchange data in groups of several.

use crate::recursive::Fold;
use crate::{Call, Edge, Sink};

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

/// Allreduce among as many partners as the highest power of the radix. Each of the other members
/// hands its vector to the partner whose number is its own modulo the number of partners.
///
/// Source: `src/mpi/coll/allreduce/allreduce_intra_recursive_multiplying.c` of MPICH 5.0.1.
pub(super) fn allreduce_to_power(call: &Call<'_>, radix: usize, sink: Sink<'_>) {
    let partners = radix.pow(call.members.ilog(radix));
    for member in partners..call.members {
        sink(Edge::once(member, member % partners, call.whole()));
        sink(Edge::once(member % partners, member, call.whole()));
    }
    let part = Call {
        members: partners,
        ..*call
    };
    allreduce(&part, radix, sink);
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

/// Allgather by recursive exchange with radix 2. The surplus members 1, 3, 5, ... hand over their
/// blocks to the members before them and get all blocks back.
pub(super) fn allgather(call: &Call<'_>, sink: Sink<'_>) {
    let partners = 1 << call.members.ilog2();
    let pairs = call.members - partners;
    // The first member whose block a partner holds, which is the partner itself.
    let member = |number: usize| number + number.min(pairs);
    for own in (0..pairs).map(member) {
        sink(Edge::once(own + 1, own, call.part(own + 1)));
        sink(Edge::once(own, own + 1, call.whole()));
    }
    let mut distance = 1;
    while distance < partners {
        for from in 0..partners {
            let start = from / distance * distance;
            let held = call.parts(member(start)..member(start + distance));
            sink(Edge::once(member(from), member(from ^ distance), held));
        }
        distance *= 2;
    }
}
