//! Ejection chains: a rank moves next to a partner, whoever makes room moves on, until one fits the
//! hole.
//!
//! A chain of two moves is an exchange; longer ones find what no exchange does, and no site is ever
//! left with more ranks than slots (Glover, Discrete Applied Mathematics 65, 1996). Distances and
//! gains are exact.

use super::site_assignment::{self, SiteAssignment};
use crate::heuristic::{AboutRefinement, Diagnostics, Effort, Problem, Refinement};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_model::machine::Machine;
use rankfold_model::placement::Placement;
use std::collections::VecDeque;

/// How far a search for chains goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Ranks moved in one chain.
    longest: usize,
    /// First moves tried for every rank, the cheapest first.
    first_moves: usize,
}

impl Reach {
    pub(crate) const FAR: Self = Self {
        longest: 6,
        first_moves: 3,
    };
    /// Most of the gain of [`Self::FAR`] for a tenth of the look-ups.
    const NEAR: Self = Self {
        longest: 3,
        first_moves: 1,
    };
    /// Ranks from which on short time is not enough to reach far.
    const MANY: usize = 1 << 14;

    /// As far as there is time for.
    pub(crate) fn of(effort: Effort, ranks: usize) -> Self {
        match effort {
            Effort::Hurried | Effort::Fast if ranks >= Self::MANY => Self::NEAR,
            _ => Self::FAR,
        }
    }
}

/// Sites a rank may move to, at most: those it exchanges most bytes with.
const SITES: usize = 32;
/// Ranks on a site up to which each may move to any of its [`SITES`]. On a fuller site a rank may
/// only move to sites it exchanges at least the average bytes with: every chain that passes a site
/// asks all its ranks.
const FEW: usize = 4;

/// Look-ups after which the refinement stops: under a second. Only bad starting orders need more.
const LOOKUPS: u64 = 60_000_000;

/// Ejection chains from every rank.
#[derive(Debug)]
pub(crate) struct Chain;

impl Refinement for Chain {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "chain",
            "moves ranks next to partners in chains that end in the slot left free, on switched machines",
        )
        .on(Machine::is_switched);
        &ABOUT
    }

    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
        refine(problem, placement)
    }
}

/// Ejection chains from every rank, on any machine.
pub(super) fn refine(problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
    site_assignment::refine(problem, placement, |assignment| {
        let reach = Reach::of(problem.effort, assignment.ranks());
        let mut chains = Chains::new(assignment, reach);
        chains.improve_all(assignment, problem.seed, LOOKUPS);
        chains.closed
    })
}

/// The search and its scratch space; fits one number of ranks and sites.
#[derive(Debug)]
pub(crate) struct Chains {
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// Chain each rank last moved in.
    moved_in: Vec<u64>,
    chain: u64,
    reach: Reach,
    tally: Tally,
    /// First moves of the rank at hand.
    moves: Vec<Move>,
    /// Chains carried out.
    pub(crate) closed: u64,
}

/// What one rank exchanges with each site.
#[derive(Debug)]
struct Tally {
    /// Round and place in `bytes` of every site; valid if the round is the current one.
    entry: Vec<(u64, u32)>,
    round: u64,
    bytes: Vec<(u32, i64)>,
    /// How many of the first entries of `bytes` the rank may move to.
    wanted: usize,
}

/// A move and what it adds to the cost.
#[derive(Clone, Copy, Debug)]
struct Move {
    cost: i64,
    rank: u32,
    site: u32,
}

impl Chains {
    pub(crate) fn new(assignment: &SiteAssignment<'_>, reach: Reach) -> Self {
        Self {
            queue: VecDeque::new(),
            queued: vec![false; assignment.ranks()],
            moved_in: vec![0; assignment.ranks()],
            chain: 0,
            reach,
            tally: Tally {
                entry: vec![(0, 0); assignment.sites.len()],
                round: 0,
                bytes: Vec::new(),
                wanted: 0,
            },
            moves: Vec::new(),
            closed: 0,
        }
    }

    /// Improves from every rank, in an order drawn from `seed`, until no chain is left.
    pub(crate) fn improve_all(
        &mut self,
        assignment: &mut SiteAssignment<'_>,
        seed: u64,
        limit: u64,
    ) -> i64 {
        let mut ranks: Vec<u32> = (0..assignment.ranks() as u32).collect();
        ranks.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        self.improve(assignment, &ranks, limit)
    }

    /// Improves from the given ranks and all that moves with them; returns what it saved.
    ///
    /// Stops when the assignment's work exceeds `limit`.
    pub(crate) fn improve(
        &mut self,
        assignment: &mut SiteAssignment<'_>,
        from: &[u32],
        limit: u64,
    ) -> i64 {
        from.iter().for_each(|&rank| self.enqueue(rank));
        self.run(assignment, limit)
    }

    /// Improves from everybody in the assignment's journal, their partners and all that moves with
    /// them.
    pub(crate) fn improve_moved(&mut self, assignment: &mut SiteAssignment<'_>, limit: u64) -> i64 {
        self.enqueue_moved(assignment, 0);
        self.run(assignment, limit)
    }

    fn run(&mut self, assignment: &mut SiteAssignment<'_>, limit: u64) -> i64 {
        let mut saved = 0;
        while let Some(rank) = self.queue.pop_front() {
            self.queued[rank as usize] = false;
            if assignment.work > limit {
                continue;
            }
            let before = assignment.journal().len();
            while let Some(gain) = self.close_one(assignment, rank) {
                saved += gain;
                self.closed += 1;
            }
            self.enqueue_moved(assignment, before);
        }
        saved
    }

    /// Queues whoever has moved since the `before`-th entry of the journal, and their partners.
    fn enqueue_moved(&mut self, assignment: &SiteAssignment<'_>, before: usize) {
        for &(mover, _) in &assignment.journal()[before..] {
            self.enqueue(mover);
            for (partner, _) in assignment.weights.partners(mover) {
                self.enqueue(partner);
            }
        }
    }

    fn enqueue(&mut self, rank: u32) {
        if !std::mem::replace(&mut self.queued[rank as usize], true) {
            self.queue.push_back(rank);
        }
    }

    /// Carries out the first chain from `rank` that lowers the cost, and returns by how much.
    fn close_one(&mut self, assignment: &mut SiteAssignment<'_>, rank: u32) -> Option<i64> {
        let here = assignment.site(rank);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.tally.count(assignment, rank);
        let stay = self.tally.cost_at(assignment, here);
        for &(site, _) in &self.tally.bytes[..self.tally.wanted] {
            if site != here {
                let cost = self.tally.cost_at(assignment, site) - stay;
                moves.push(Move { cost, rank, site });
            }
        }
        assignment.work += ((1 + moves.len()) * self.tally.bytes.len()) as u64;
        moves.sort_unstable_by_key(|m| (m.cost, m.site));
        let before = assignment.journal().len();
        let closed = moves
            .iter()
            .take(self.reach.first_moves)
            .find_map(|&first| {
                let gain = self.follow(assignment, first, here);
                if gain.is_none() {
                    assignment.undo(before);
                }
                gain
            });
        self.moves = moves;
        closed
    }

    /// Makes the first move and goes on from there; `hole` is the site it leaves.
    fn follow(
        &mut self,
        assignment: &mut SiteAssignment<'_>,
        first: Move,
        hole: u32,
    ) -> Option<i64> {
        self.chain += 1;
        let mut cost = 0;
        let mut next = first;
        for length in 1.. {
            assignment.move_to(next.rank, next.site);
            self.moved_in[next.rank as usize] = self.chain;
            cost += next.cost;
            if !assignment.is_overfull(next.site) {
                return (cost < 0).then_some(-cost);
            }
            if length == self.reach.longest {
                break;
            }
            let (closing, onward) =
                self.ejections(assignment, next.site, hole, length + 1 < self.reach.longest);
            if let Some(closing) = closing.filter(|m| cost + m.cost < 0) {
                assignment.move_to(closing.rank, closing.site);
                return Some(-(cost + closing.cost));
            }
            next = onward?;
        }
        None
    }

    /// The cheapest move from an overfull site into the hole, and the cheapest one to anywhere
    /// else.
    fn ejections(
        &mut self,
        assignment: &mut SiteAssignment<'_>,
        site: u32,
        hole: u32,
        onward: bool,
    ) -> (Option<Move>, Option<Move>) {
        let (mut closing, mut best): (Option<Move>, Option<Move>) = (None, None);
        let better = |found: &Option<Move>, cost| found.is_none_or(|m| cost < m.cost);
        for place in 0..assignment.members(site).len() {
            let rank = assignment.members(site)[place];
            if self.moved_in[rank as usize] == self.chain {
                continue;
            }
            self.tally.count(assignment, rank);
            let stay = self.tally.cost_at(assignment, site);
            let cost = self.tally.cost_at(assignment, hole) - stay;
            if better(&closing, cost) {
                closing = Some(Move {
                    cost,
                    rank,
                    site: hole,
                });
            }
            let wanted = if onward { self.tally.wanted } else { 0 };
            assignment.work += ((2 + wanted) * self.tally.bytes.len()) as u64;
            for &(there, _) in &self.tally.bytes[..wanted] {
                if there != site && there != hole {
                    let cost = self.tally.cost_at(assignment, there) - stay;
                    if better(&best, cost) {
                        best = Some(Move {
                            cost,
                            rank,
                            site: there,
                        });
                    }
                }
            }
        }
        (closing, best)
    }
}

impl Tally {
    /// Adds up what `rank` exchanges with each site.
    fn count(&mut self, assignment: &mut SiteAssignment<'_>, rank: u32) {
        self.round += 1;
        self.bytes.clear();
        for (partner, bytes) in assignment.weights.partners(rank) {
            let site = assignment.site(partner);
            let entry = &mut self.entry[site as usize];
            if entry.0 == self.round {
                self.bytes[entry.1 as usize].1 += bytes;
            } else {
                *entry = (self.round, self.bytes.len() as u32);
                self.bytes.push((site, bytes));
            }
        }
        assignment.work += assignment.weights.degree(rank) as u64;
        if assignment.members(assignment.site(rank)).len() > FEW {
            self.wanted = self.heavy_first().min(SITES);
            return;
        }
        self.wanted = self.bytes.len().min(SITES);
        if self.wanted < self.bytes.len() {
            self.bytes
                .sort_unstable_by_key(|&(site, bytes)| (std::cmp::Reverse(bytes), site));
        }
    }

    /// Puts the sites with at least the average bytes first, and returns how many there are.
    fn heavy_first(&mut self) -> usize {
        let total: i64 = self.bytes.iter().map(|&(_, bytes)| bytes).sum();
        let average = total / self.bytes.len().max(1) as i64;
        let mut heavy = 0;
        for at in 0..self.bytes.len() {
            if self.bytes[at].1 >= average {
                self.bytes.swap(at, heavy);
                heavy += 1;
            }
        }
        heavy
    }

    /// What the rank last counted takes part in if it sits on `site`.
    fn cost_at(&self, assignment: &SiteAssignment<'_>, site: u32) -> i64 {
        if let Some(hops) = assignment.sites.hops_from(site) {
            let cost = |&(there, bytes): &(u32, i64)| bytes * i64::from(hops[there as usize]);
            return self.bytes.iter().map(cost).sum();
        }
        let hops = |there| i64::from(assignment.sites.hops(site, there));
        self.bytes
            .iter()
            .map(|&(there, bytes)| bytes * hops(there))
            .sum()
    }
}
