//! The order of ranks inside each node: partners on cores that share caches, memories and sockets.
//!
//! Ranks stay on their nodes, so no figure of the network changes. On each node two descents run,
//! one from the present seating and one from a greedy seating. Each exchanges ranks, or moves them
//! to free slots, while bytes x levels between cores ([`rankfold_metric::inner_levels`])
//! fall; the better result stays.
//!
//! Source: our own; pairwise exchange of the quadratic assignment problem, node by node.
//!
//! Cost: O(slots^2 x partners on the node) for one pass on one node.

use crate::heuristic::{AboutRefinement, Diagnostics, Problem, Refinement};
use rankfold_base::{NodeId, Placement, Rank, SlotId};
use rankfold_machine::Machine;
use rayon::prelude::*;
use std::collections::HashMap;

/// The refinement inside nodes.
pub(crate) struct Inside;

impl Refinement for Inside {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "inside",
            "exchanges ranks inside each node towards their partners in socket, memory and cache, where a machine file or --node tells them",
        )
        .on(Machine::knows_insides);
        &ABOUT
    }

    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
        let machine = problem.machine;
        let mut did = Diagnostics {
            passes: 1,
            ..Diagnostics::default()
        };
        let who = placement.occupancy(machine.slots());
        let reseated: Vec<Vec<(Rank, SlotId)>> = (0..machine.slots().nodes())
            .into_par_iter()
            .map(|node| {
                let slots: Vec<SlotId> = machine.slots().on(NodeId::at(node)).collect();
                let seats: Vec<Option<Rank>> = slots.iter().map(|&s| who.rank(s)).collect();
                Node::new(problem, &slots, &seats).map_or_else(Vec::new, |mut node| {
                    node.improve(&seats);
                    node.moved(&slots, &seats)
                })
            })
            .collect();
        for (rank, slot) in reseated.into_iter().flatten() {
            placement.set(rank, slot);
            did.moves += 1;
        }
        did
    }
}

/// The most passes over all pairs of slots of a node. The descent ends by itself long before.
const MOST_PASSES: usize = 64;
const FREE: usize = usize::MAX;

/// One node, with its ranks and its slots numbered from 0.
struct Node {
    ranks: Vec<Rank>,
    /// For every rank its partners on this node, with the bytes of both directions.
    partners: Vec<Vec<(usize, u64)>>,
    slots: usize,
    /// The slots whose ranks stay in them.
    stays: Vec<bool>,
    /// The levels between two slots, row-major.
    steps: Vec<u32>,
    /// The slot of every rank, and the rank of every slot or [`FREE`].
    slot_of: Vec<usize>,
    rank_in: Vec<usize>,
}

impl Node {
    /// `None` where all seatings are alike.
    fn new(problem: &Problem<'_>, slots: &[SlotId], seats: &[Option<Rank>]) -> Option<Self> {
        let (machine, affinity) = (problem.machine, problem.affinity);
        let inside = machine.inside(machine.slots().node_of(*slots.first()?))?;
        let ranks: Vec<Rank> = seats.iter().copied().flatten().collect();
        let number: HashMap<Rank, usize> = ranks.iter().copied().zip(0..).collect();
        let partners: Vec<Vec<(usize, u64)>> = ranks
            .iter()
            .map(|&rank| {
                let partners = affinity.partners(rank);
                partners
                    .filter_map(|(p, bytes)| Some((*number.get(&p)?, bytes)))
                    .collect()
            })
            .collect();
        if partners.iter().all(Vec::is_empty) || inside.levels().is_empty() {
            return None;
        }
        let cores: Vec<_> = slots.iter().filter_map(|&s| machine.core(s)).collect();
        let steps = cores
            .iter()
            .flat_map(|&a| cores.iter().map(move |&b| inside.steps(a, b)))
            .collect();
        Some(Self {
            ranks,
            partners,
            stays: (seats.iter())
                .map(|rank| rank.is_some_and(|rank| problem.constraints.seats(rank)))
                .collect(),
            slots: slots.len(),
            steps,
            slot_of: Vec::new(),
            rank_in: Vec::new(),
        })
    }

    fn improve(&mut self, seats: &[Option<Rank>]) {
        let taken = (0..seats.len()).filter(|&s| seats[s].is_some());
        self.seat(taken.collect());
        self.descend();
        let (as_it_was, cost) = (self.slot_of.clone(), self.cost());
        if self.stays.contains(&true) {
            // A seating from nothing would move those that stay.
            return;
        }
        self.seat(self.greedy());
        self.descend();
        if cost <= self.cost() {
            self.seat(as_it_was);
        }
    }

    fn seat(&mut self, slot_of: Vec<usize>) {
        self.rank_in = vec![FREE; self.slots];
        for (rank, &slot) in slot_of.iter().enumerate() {
            self.rank_in[slot] = rank;
        }
        self.slot_of = slot_of;
    }

    fn between(&self, a: usize, b: usize) -> u32 {
        self.steps[a * self.slots + b]
    }

    /// A greedy seating: fills the slots in order, each with the rank that costs least beside the
    /// ranks already seated.
    fn greedy(&self) -> Vec<usize> {
        let top = self.steps.iter().copied().max().unwrap_or(0);
        let mut slot_of = vec![FREE; self.ranks.len()];
        for slot in 0..self.ranks.len() {
            let saved = |rank: usize| -> u128 {
                let seated = self.partners[rank]
                    .iter()
                    .filter(|(p, _)| slot_of[*p] != FREE);
                seated
                    .map(|&(p, bytes)| {
                        u128::from(bytes) * u128::from(top - self.between(slot, slot_of[p]))
                    })
                    .sum()
            };
            let waiting = (0..self.ranks.len()).filter(|&rank| slot_of[rank] == FREE);
            let next = waiting.max_by_key(|&rank| (saved(rank), std::cmp::Reverse(rank)));
            slot_of[next.expect("one rank is left a slot")] = slot;
        }
        slot_of
    }

    /// Exchanges slots while an exchange lowers the cost.
    fn descend(&mut self) {
        for _ in 0..MOST_PASSES {
            let mut moved = false;
            for a in 0..self.slots {
                for b in a + 1..self.slots {
                    if !self.stays[a] && !self.stays[b] && self.gain(a, b) > 0 {
                        self.exchange(a, b);
                        moved = true;
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// Bytes x levels saved if two slots exchange their ranks.
    fn gain(&self, a: usize, b: usize) -> i128 {
        self.gain_of(self.rank_in[a], a, b) + self.gain_of(self.rank_in[b], b, a)
    }

    fn gain_of(&self, rank: usize, from: usize, to: usize) -> i128 {
        if rank == FREE {
            return 0;
        }
        // The two exchanged ranks stay as far apart as they were.
        let others = self.partners[rank]
            .iter()
            .filter(|(p, _)| self.slot_of[*p] != to);
        others
            .map(|&(p, bytes)| {
                let there = self.slot_of[p];
                let saved =
                    i64::from(self.between(from, there)) - i64::from(self.between(to, there));
                i128::from(bytes) * i128::from(saved)
            })
            .sum()
    }

    fn exchange(&mut self, a: usize, b: usize) {
        self.rank_in.swap(a, b);
        for slot in [a, b] {
            if self.rank_in[slot] != FREE {
                self.slot_of[self.rank_in[slot]] = slot;
            }
        }
    }

    /// Twice the bytes x levels between cores: every pair is counted from both its ranks.
    fn cost(&self) -> u128 {
        let of = |rank: usize| {
            let partners = self.partners[rank].iter();
            partners.map(move |&(p, bytes)| {
                let steps = self.between(self.slot_of[rank], self.slot_of[p]);
                u128::from(bytes) * u128::from(steps)
            })
        };
        (0..self.ranks.len()).flat_map(of).sum()
    }

    /// The ranks that changed their slot, with the new slot.
    fn moved(&self, slots: &[SlotId], seats: &[Option<Rank>]) -> Vec<(Rank, SlotId)> {
        let now = self.ranks.iter().zip(&self.slot_of);
        now.filter(|(rank, slot)| seats[**slot] != Some(**rank))
            .map(|(&rank, &slot)| (rank, slots[slot]))
            .collect()
    }
}

#[cfg(test)]
mod tests;
