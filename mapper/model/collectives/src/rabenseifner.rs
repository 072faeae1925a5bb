//! Reductions of long vectors after Rabenseifner: the partners halve the vector until each has
//! summed up one part, and then put the parts together along the same pairs.
//!
//! Source: Thakur, Rabenseifner & Gropp 2005 (cited in the model `mpich`), as MPICH and Open MPI
//! carry it out: the nearest partners exchange the largest parts. Partners are a power of two of
//! ranks in the communicator; one rank of each of the first pairs is folded away first.

use super::{Call, Edge, Sink};
use std::ops::Range;

/// How a pair of an even and the next odd rank becomes one partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folding {
    /// Even ranks hand their vectors to odd ranks, which are partners.
    ToOdd,
    /// Odd ranks hand their vectors to even ranks, which are partners.
    ToEven,
    /// The two ranks exchange halves, and the odd rank then sends its result to the even rank,
    /// which is a partner.
    Halves,
}

/// The partners of a reduction, and the elements that each of them sums up.
#[derive(Clone, Copy)]
pub(super) struct Rabenseifner {
    folding: Folding,
    /// Number of partners, a power of two.
    partners: usize,
    /// Number of ranks that are folded away.
    surplus: usize,
}

/// Whether the vector has at least one element for every partner.
pub(super) fn is_divisible(call: &Call<'_>) -> bool {
    call.elements() >= 1 << call.members.ilog2()
}

impl Rabenseifner {
    pub(super) fn of(members: usize, folding: Folding) -> Self {
        let partners = 1 << members.ilog2();
        Self {
            folding,
            partners,
            surplus: members - partners,
        }
    }

    /// The sum for every member.
    pub(super) fn allreduce(self, call: &Call<'_>, sink: Sink<'_>) {
        self.scatter(call, sink);
        for distance in self.distances().rev() {
            for from in 0..self.partners {
                let window = self.window(from, 2 * distance, call.elements());
                let (from, to) = (self.rank(from), self.rank(from ^ distance));
                sink(Edge::once(from, to, call.slice(window)));
            }
        }
        for number in 0..self.surplus {
            sink(Edge::once(
                self.rank(number),
                self.folded(number),
                call.whole(),
            ));
        }
    }

    /// The sum for the root. A root that was folded away takes the place of partner 0.
    pub(super) fn reduce(self, call: &Call<'_>, sink: Sink<'_>) {
        let numbered = &mut |edge: Edge| {
            sink(edge.renumbered(|member| call.counted_from_root(member)));
        };
        self.scatter(call, numbered);
        let elements = call.elements();
        let is_folded_away = (0..self.surplus).any(|number| self.folded(number) == call.root);
        if is_folded_away {
            let window = self.window(0, self.partners, elements);
            numbered(Edge::once(self.rank(0), call.root, call.slice(window)));
        }
        let rank = |partner| match partner {
            0 if is_folded_away => call.root,
            partner => self.rank(partner),
        };
        let root = (0..self.partners).find(|&partner| rank(partner) == call.root);
        let root = root.unwrap_or(0);
        for distance in self.distances().rev() {
            for from in (0..self.partners).filter(|from| (from ^ root) / distance == 1) {
                let window = self.window(from, 2 * distance, elements);
                let (from, to) = (rank(from), rank(from ^ distance));
                numbered(Edge::once(from, to, call.slice(window)));
            }
        }
    }

    /// Folds surplus ranks away, then halves the vector among the partners, the nearest ones first.
    fn scatter(self, call: &Call<'_>, sink: Sink<'_>) {
        let elements = call.elements();
        for number in 0..self.surplus {
            let (from, to) = (self.folded(number), self.rank(number));
            if self.folding == Folding::Halves {
                let first = call.slice(0..elements / 2);
                let second = call.slice(elements / 2..elements);
                sink(Edge::once(to, from, second));
                sink(Edge::once(from, to, first));
                sink(Edge::once(from, to, second));
            } else {
                sink(Edge::once(from, to, call.whole()));
            }
        }
        for distance in self.distances() {
            for from in 0..self.partners {
                // A partner sends the window that the other one keeps.
                let to = from ^ distance;
                let window = self.window(to, 2 * distance, elements);
                sink(Edge::once(
                    self.rank(from),
                    self.rank(to),
                    call.slice(window),
                ));
            }
        }
    }

    /// The rank that acts as a partner.
    fn rank(self, partner: usize) -> usize {
        if partner >= self.surplus {
            return partner + self.surplus;
        }
        2 * partner + usize::from(self.folding == Folding::ToOdd)
    }

    /// The rank that a partner below `surplus` acts for besides its own.
    fn folded(self, partner: usize) -> usize {
        2 * partner + usize::from(self.folding != Folding::ToOdd)
    }

    /// Distances between partners, the smallest first.
    fn distances(self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.partners.ilog2()).map(|bit| 1 << bit)
    }

    /// The elements that a partner keeps after the exchanges at all distances below `below`.
    fn window(self, partner: usize, below: usize, elements: u64) -> Range<u64> {
        let distances = self.distances().take_while(|distance| *distance < below);
        if self.folding == Folding::Halves {
            // Open MPI halves a window of elements each time.
            return distances.fold(0..elements, |window, distance| {
                let middle = window.start + (window.end - window.start) / 2;
                match partner & distance {
                    0 => window.start..middle,
                    _ => middle..window.end,
                }
            });
        }
        // MPICH halves a range of blocks, one for each partner; the first ones have one element
        // more.
        let blocks = distances.fold(0..self.partners, |blocks, distance| {
            let middle = blocks.start + blocks.len() / 2;
            match partner & distance {
                0 => blocks.start..middle,
                _ => middle..blocks.end,
            }
        });
        let partners = self.partners as u64;
        let start = |block: usize| {
            block as u64 * (elements / partners) + (block as u64).min(elements % partners)
        };
        start(blocks.start)..start(blocks.end)
    }
}
