//! Recursive exchange with any radix: in every step, groups of `radix` partners exchange data.
//!
//! Source: `src/mpi/coll/algorithms/recexchalgo/recexchalgo.c`, `allreduce_intra_recexch.c`,
//! `allreduce_intra_k_reduce_scatter_allgather.c` and `allgather_intra_recexch.c` of MPICH 5.0.1.
//! The number of partners is a power of the radix. Members in excess of that are surplus: among the
//! first members, all but the last of every `radix` hand their data to that last one, which takes
//! part for them and returns the result.

use crate::{Call, Edge, Sink};
use std::ops::Range;

/// A recursive exchange among the members of a communicator.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Exchange {
    radix: usize,
    partners: usize,
    /// Number of steps, each of which changes one digit of the partners' numbers.
    steps: u32,
    /// Number of members that are no partners.
    surplus: usize,
}

impl Exchange {
    pub(in super::super) fn of(members: usize, radix: usize) -> Self {
        let radix = radix.max(2).min(members.max(2));
        let steps = members.max(1).ilog(radix);
        let partners = radix.pow(steps);
        Self {
            radix,
            partners,
            steps,
            surplus: members - partners,
        }
    }

    /// Every partner sends its whole vector to the others of its group, the nearest ones first.
    pub(in super::super) fn allreduce(self, call: &Call<'_>, sink: Sink<'_>) {
        self.hand_over(|_| call.whole(), sink);
        for step in 0..self.steps {
            self.step(step, |_, _| call.whole(), sink);
        }
        self.hand_back(call.whole(), sink);
    }

    /// Groups halve the vector, the nearest ones first, then gather it in the reverse order. The
    /// last part has the elements that do not divide evenly.
    pub(in super::super) fn reduce_scatter_allgather(self, call: &Call<'_>, sink: Sink<'_>) {
        let elements = call.elements();
        let start = |partner: usize| {
            if partner == self.partners {
                elements
            } else {
                elements / self.partners as u64 * partner as u64
            }
        };
        let bytes = |held: Range<usize>| call.slice(start(held.start)..start(held.end));
        self.hand_over(|_| call.whole(), sink);
        for step in 0..self.steps {
            let kept = |partner| self.held(self.reversed(partner), self.steps - 1 - step);
            self.step(step, |_, to| bytes(kept(to)), sink);
        }
        for step in 0..self.steps {
            let held = |partner| self.held(self.reversed(partner), step);
            self.step(self.steps - 1 - step, |from, _| bytes(held(from)), sink);
        }
        self.hand_back(call.whole(), sink);
    }

    /// Allgather, the nearest groups first.
    pub(in super::super) fn allgather(self, call: &Call<'_>, sink: Sink<'_>) {
        self.hand_over(|member| call.part(member), sink);
        for step in 0..self.steps {
            let held = |partner| call.parts(self.members(self.held(partner, step)));
            self.step(step, |from, _| held(from), sink);
        }
        self.hand_back(call.whole(), sink);
    }

    /// Allgather, the farthest groups first. Every partner begins by exchanging its blocks with the
    /// partner whose number has the digits of its own in reverse order.
    pub(in super::super) fn allgather_halving(self, call: &Call<'_>, sink: Sink<'_>) {
        self.hand_over(|member| call.part(member), sink);
        for from in 0..self.partners {
            let to = self.reversed(from);
            if to != from {
                let bytes = call.parts(self.members(from..from + 1));
                sink(Edge::once(self.member(from), self.member(to), bytes));
            }
        }
        for step in 0..self.steps {
            let held = |partner| {
                let partners = self.held(self.reversed(partner), step);
                call.parts(self.members(partners))
            };
            self.step(self.steps - 1 - step, |from, _| held(from), sink);
        }
        self.hand_back(call.whole(), sink);
    }

    /// Edges between all partners that differ in this digit of their numbers. `bytes` is asked with
    /// the numbers of the sender and the receiver.
    fn step(self, digit: u32, bytes: impl Fn(usize, usize) -> u128, sink: Sink<'_>) {
        let place = self.radix.pow(digit);
        for from in 0..self.partners {
            let first = from - from / place % self.radix * place;
            for to in (0..self.radix).map(|value| first + value * place) {
                if to != from {
                    let edge = Edge::once(self.member(from), self.member(to), bytes(from, to));
                    sink(edge);
                }
            }
        }
    }

    /// Edges from every surplus member to the partner that takes part for it.
    fn hand_over(self, bytes: impl Fn(usize) -> u128, sink: Sink<'_>) {
        let end = self.end_of_surplus();
        let is_surplus = |&member: &usize| member % self.radix != self.radix - 1;
        for member in (0..end).filter(is_surplus) {
            let last = member / self.radix * self.radix + self.radix - 1;
            sink(Edge::once(member, last.min(end), bytes(member)));
        }
    }

    /// Edges from the partners back to the surplus members.
    fn hand_back(self, bytes: u128, sink: Sink<'_>) {
        self.hand_over(|_| bytes, &mut |edge| {
            sink(Edge::once(edge.to, edge.from, edge.bytes));
        });
    }

    /// The first member after all surplus members and the partners among them.
    fn end_of_surplus(self) -> usize {
        self.surplus * self.radix / (self.radix - 1)
    }

    /// The member that acts as a partner.
    fn member(self, partner: usize) -> usize {
        if partner < self.surplus / (self.radix - 1) {
            partner * self.radix + self.radix - 1
        } else {
            partner + self.surplus
        }
    }

    /// The members that these partners take part for, themselves included.
    fn members(self, partners: Range<usize>) -> Range<usize> {
        let end = |partner: usize| match partner {
            0 => 0,
            partner => self.member(partner - 1) + 1,
        };
        end(partners.start)..end(partners.end)
    }

    /// The partners whose data one partner holds after this many steps. Their numbers differ from
    /// its own in the lowest digits, one digit for each step.
    fn held(self, partner: usize, steps: u32) -> Range<usize> {
        let group = self.radix.pow(steps);
        let start = partner / group * group;
        start..start + group
    }

    /// The partner whose number has the digits of this one in reverse order.
    fn reversed(self, partner: usize) -> usize {
        (0..self.steps)
            .fold((0, partner), |(reversed, rest), _| {
                (reversed * self.radix + rest % self.radix, rest / self.radix)
            })
            .0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MpiLibrary;
    use rankfold_wire::Operation;

    /// Bytes that each member receives in an operation whose blocks have 8 bytes.
    fn received(
        members: usize,
        radix: usize,
        expand: fn(Exchange, &Call<'_>, Sink<'_>),
    ) -> Vec<u128> {
        let library = MpiLibrary::default();
        let call = Call::new(Operation::Allgather, members, 8, &library);
        let mut received = vec![0; members];
        let exchange = Exchange::of(members, radix);
        expand(exchange, &call, &mut |edge| received[edge.to] += edge.bytes);
        received
    }

    #[test]
    fn every_member_gets_each_block_of_another_once() {
        for (members, radix) in
            (2..40).flat_map(|members| (2..7).map(move |radix| (members, radix)))
        {
            let whole = 8 * members as u128;
            for bytes in received(members, radix, Exchange::allgather) {
                // A surplus member gets its own block back as well.
                assert!(
                    [whole, whole - 8].contains(&bytes),
                    "{members} {radix} {bytes}"
                );
            }
            let nearest: u128 = received(members, radix, Exchange::allgather).iter().sum();
            let farthest: u128 = received(members, radix, Exchange::allgather_halving)
                .iter()
                .sum();
            let exchanged = farthest - nearest;
            assert!(exchanged <= whole, "{members} {radix} {exchanged}");
        }
    }

    #[test]
    fn surplus_members_are_the_first_ones_of_each_group() {
        let library = MpiLibrary::default();
        let call = Call::new(Operation::Allreduce, 6, 8, &library);
        let mut pairs = Vec::new();
        Exchange::of(6, 3).allreduce(&call, &mut |edge| pairs.push((edge.from, edge.to)));
        // The members 0 and 1 hand over to 2; 3 hands over to 4, since 5 is none of the first four.
        assert_eq!(pairs[..3], [(0, 2), (1, 2), (3, 4)]);
        assert_eq!(
            pairs[3..9],
            [(2, 4), (2, 5), (4, 2), (4, 5), (5, 2), (5, 4)]
        );
        assert_eq!(pairs[9..], [(2, 0), (2, 1), (4, 3)]);
    }
}
