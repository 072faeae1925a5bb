//! Ejection chains, for hop-bytes on switched machines.
//!
//! A rank moves to the site of a partner. A rank of that site, now one too many, is ejected to
//! another site, and so on, until a site has room or an ejected rank goes to the site that the
//! first rank left. A chain of two moves is an exchange; longer chains find improvements that no
//! exchange finds.
//!
//! ```text
//! sites      A         B         C        0 and 2 are partners, so are 3 and 5, and 4 and 1
//!          0 1       2 3       4 5
//!          0 -------> .         .         first move: 0 joins 2; A has a hole, B is overfull
//!            1       2 3 -----> .         ejection: 3 joins 5; C is overfull
//!            <------------------4         the chain closes: 4 joins 1
//!          4 1       0 2       3 5        three pairs share a site; no one exchange does this
//! ```
//!
//! Source: Glover, "Ejection chains, reference structures and alternating path methods for
//! traveling salesman problems", Discrete Applied Mathematics 65, 1996. Different: chains move
//! ranks between sites instead of edges of a tour, a rank moves at most once in a chain, and a
//! chain is kept as soon as its total gain is positive.
//!
//! Cost: a first move looks at the partners of one rank, an ejection at the partners of all ranks
//! of one site: O(longest chain x ranks of a site x partners) for each first move.

use super::site_assignment::{self, SiteAssignment};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::Placement;
use rankfold_machine::Machine;
use rankfold_problem::heuristic::{AboutRefinement, Diagnostics, Effort, Problem, Refinement};
use std::collections::VecDeque;

/// The limits of a search for chains.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The most ranks that one chain moves.
    longest: usize,
    /// The number of first moves tried for every rank, the cheapest first.
    first_moves: usize,
}

impl Reach {
    /// Chains of six ranks, three first moves each.
    pub const FAR: Self = Self {
        longest: 6,
        first_moves: 3,
    };
    /// Limits for little time: most of the gain of [`Self::FAR`] for a tenth of the look-ups.
    /// Measured when added: 65536 ranks, geometric, tree:16x16x16 with 16 cores, together with
    /// chains that start only from ranks that moved, 22.4 to 11.7 CPU seconds for 0.6 % more
    /// hop-bytes.
    const NEAR: Self = Self {
        longest: 3,
        first_moves: 1,
    };
    /// From this number of ranks on, efforts up to fast use [`Self::NEAR`].
    const MANY: usize = 1 << 14;

    /// The limits for an effort and a number of ranks.
    pub fn of(effort: Effort, ranks: usize) -> Self {
        match effort {
            Effort::Hurried | Effort::Fast if ranks >= Self::MANY => Self::NEAR,
            _ => Self::FAR,
        }
    }
}

/// The most sites that a rank may move to: the sites it exchanges most bytes with.
const SITES: usize = 32;
/// On a site with at most this many ranks, each rank may move to any of its [`SITES`]. On a fuller
/// site, a rank may only move to sites with which it exchanges at least the average number of
/// bytes, since every chain that passes a site looks at all its ranks. Chosen by hand; no
/// measurement of the number is recorded.
const FEW: usize = 4;

/// The refinement stops after this many look-ups, which take under a second. Only bad starting
/// placements need more.
const LOOKUPS: u64 = 60_000_000;

/// Ejection chains from every rank.
#[derive(Debug)]
pub struct Chain;

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

/// A search for chains with its scratch space, for one number of ranks and of sites.
#[derive(Debug)]
pub struct Chains {
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// The number of the chain in which each rank last moved.
    moved_in: Vec<u64>,
    chain: u64,
    reach: Reach,
    tally: Tally,
    /// The first moves of the rank whose chains are searched.
    moves: Vec<Move>,
    /// The number of chains carried out.
    pub closed: u64,
}

/// The bytes that one rank exchanges with each site.
#[derive(Debug)]
struct Tally {
    /// For every site the round in which it was counted, and its index in `bytes`. The index is
    /// valid if the round is the current one.
    entry: Vec<(u64, u32)>,
    round: u64,
    bytes: Vec<(u32, i64)>,
    /// The rank may move to the sites of this many first entries of `bytes`.
    wanted: usize,
}

/// A move of a rank to a site, and what the move adds to the cost.
#[derive(Clone, Copy, Debug)]
struct Move {
    cost: i64,
    rank: u32,
    site: u32,
}

impl Chains {
    /// A search within these limits for an assignment of this size.
    #[must_use]
    pub fn new(assignment: &SiteAssignment<'_>, reach: Reach) -> Self {
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

    /// Improves from every rank, in an order drawn from `seed`, until no rank has a chain that
    /// lowers the cost.
    pub fn improve_all(
        &mut self,
        assignment: &mut SiteAssignment<'_>,
        seed: u64,
        limit: u64,
    ) -> i64 {
        let mut ranks: Vec<u32> = (0..assignment.ranks() as u32).collect();
        ranks.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        self.improve(assignment, &ranks, limit)
    }

    /// Improves from the given ranks and from all ranks that move meanwhile; returns the cost
    /// saved.
    ///
    /// Stops when the assignment's work exceeds `limit`.
    pub fn improve(
        &mut self,
        assignment: &mut SiteAssignment<'_>,
        from: &[u32],
        limit: u64,
    ) -> i64 {
        from.iter().for_each(|&rank| self.enqueue(rank));
        self.run(assignment, limit)
    }

    /// Improves from all ranks in the assignment's journal, from their partners, and from all ranks
    /// that move meanwhile.
    pub fn improve_moved(&mut self, assignment: &mut SiteAssignment<'_>, limit: u64) -> i64 {
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

    /// Queues the ranks that moved since the `before`-th entry of the journal, and their partners.
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

    /// Carries out the first chain from `rank` that lowers the cost, and returns the cost saved.
    fn close_one(&mut self, assignment: &mut SiteAssignment<'_>, rank: u32) -> Option<i64> {
        if assignment.stays(rank) {
            return None;
        }
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

    /// Makes the first move and continues the chain. `hole` is the site that the first rank leaves.
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

    /// The cheapest move from an overfull site into the hole, and the cheapest move from there to
    /// any other site.
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
            if self.moved_in[rank as usize] == self.chain || assignment.stays(rank) {
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
    /// Adds up the bytes that `rank` exchanges with each site.
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

    /// Puts the sites with at least the average number of bytes first, and returns their number.
    fn heavy_first(&mut self) -> usize {
        let total: i64 = self.bytes.iter().map(|&(_, bytes)| bytes).sum();
        let sites = self.bytes.len() as i128;
        let mut heavy = 0;
        for at in 0..self.bytes.len() {
            if i128::from(self.bytes[at].1) * sites >= i128::from(total) {
                self.bytes.swap(at, heavy);
                heavy += 1;
            }
        }
        heavy
    }

    /// The cost of all messages of the rank last counted if it sits on `site`.
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
