//! Pair exchange with backtracking, exact and incremental.
//!
//! The paper recomputes every saving in every iteration. Here a table holds the cost `F` of each
//! process on each node, and an exchange updates only the rows of the partners of the two
//! processes. Each process remembers its best exchange partner and looks for it again only if the
//! remembered partner's row has changed or is locked. A pair whose saving rose is remembered by the
//! process whose row changed. The pair chosen is therefore the same as if every saving were
//! recomputed; a test compares both.

use super::Problem;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::Distances;
use rankfold_problem::heuristic::Diagnostics;
use rankfold_refine::Amount;
use std::cmp::Reverse;

/// The state of lines 20-36 of Algorithm 1.
pub(super) struct PairExchange<'a, A> {
    affinity: &'a Affinity,
    distances: Distances,
    nodes: usize,
    pub(super) node_of: Vec<NodeId>,
    /// Hop-bytes of process i on node x with all other processes where they are: entry `i * nodes +
    /// x`.
    cost: Vec<A>,
    pub(super) locked: Vec<bool>,
    /// For each process, the best exchange it remembers: saving and partner.
    best: Vec<Option<(A, Rank)>>,
    stale: Vec<bool>,
    counting: Counting,
}

/// What the saving of an exchange counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// What the exchange really saves.
    Exact,
    /// Line 26 as listed: the bytes between the two processes as well, as if they came to lie on
    /// one node.
    Listing,
}

impl<'a, A: Amount> PairExchange<'a, A> {
    pub(super) fn new(problem: &Problem<'a>, placement: &Placement, counting: Counting) -> Self {
        let slots = problem.machine.slots();
        let (ranks, nodes) = (problem.graph.ranks(), slots.nodes());
        let mut exchange = Self {
            affinity: problem.affinity,
            distances: problem.machine.topology().distances(),
            nodes,
            node_of: placement.nodes(slots),
            cost: vec![A::default(); ranks * nodes],
            locked: vec![false; ranks],
            best: vec![None; ranks],
            stale: vec![true; ranks],
            counting,
        };
        for rank in (0..ranks).map(Rank::at) {
            for (partner, bytes) in problem.affinity.partners(rank) {
                let at = exchange.node_of[partner.index()];
                exchange.add_cost(rank, at, bytes, 1);
            }
        }
        exchange
    }

    /// Makes up to `loops` exchanges, or as many as leave a pair unlocked, then undoes all
    /// exchanges after the largest sum of savings.
    pub(super) fn run(mut self, loops: u64, placement: &mut Placement) -> Diagnostics {
        let before = self.hop_bytes();
        let mut sum = 0;
        let mut sums = vec![sum];
        let mut exchanged = Vec::new();
        for _ in 0..loops {
            let Some((saving, a, b)) = self.pick() else {
                break;
            };
            self.exchange(a, b);
            placement.swap(a, b);
            sum += saving.widened();
            sums.push(sum);
            exchanged.push((a, b));
        }
        let kept = (0..sums.len())
            .min_by_key(|&moment| Reverse(sums[moment]))
            .unwrap_or(0);
        for &(a, b) in exchanged[kept..].iter().rev() {
            self.node_of.swap(a.index(), b.index());
            placement.swap(a, b);
        }
        Diagnostics {
            passes: exchanged.len() as u32,
            moves: kept as u64,
            history: vec![before as u128, self.hop_bytes() as u128],
            notes: vec![format!("{kept} of {} exchanges kept", exchanged.len())],
        }
    }

    /// The unlocked pair with the largest saving, which may be negative; of equals, the lowest
    /// pair.
    pub(super) fn pick(&mut self) -> Option<(A, Rank, Rank)> {
        let ranks = self.node_of.len();
        for rank in 0..ranks {
            let gone = |(_, partner): (A, Rank)| {
                self.stale[partner.index()] || self.locked[partner.index()]
            };
            let again = self.stale[rank] || self.best[rank].is_some_and(gone);
            if again && !self.locked[rank] {
                self.best[rank] = self.best_partner(Rank::at(rank));
            }
        }
        self.stale.fill(false);
        (0..ranks)
            .filter(|&rank| !self.locked[rank])
            .filter_map(|rank| {
                let (saving, partner) = self.best[rank]?;
                let rank = Rank::at(rank);
                Some((saving, rank.min(partner), rank.max(partner)))
            })
            .min_by_key(|&(saving, a, b)| (Reverse(saving), a, b))
    }

    /// Exchanges two processes and locks both.
    pub(super) fn exchange(&mut self, a: Rank, b: Rank) {
        let (from, to) = (self.node_of[a.index()], self.node_of[b.index()]);
        self.node_of.swap(a.index(), b.index());
        let affinity = self.affinity;
        for (moved, left, entered) in [(a, from, to), (b, to, from)] {
            self.locked[moved.index()] = true;
            for (partner, bytes) in affinity.partners(moved) {
                self.stale[partner.index()] = true;
                self.add_cost(partner, left, bytes, -1);
                self.add_cost(partner, entered, bytes, 1);
            }
        }
    }

    fn best_partner(&self, rank: Rank) -> Option<(A, Rank)> {
        (0..self.node_of.len())
            .filter(|&other| other != rank.index() && !self.locked[other])
            .map(|other| (self.saving(rank, Rank::at(other)), Rank::at(other)))
            .min_by_key(|&(saving, other)| (Reverse(saving), other))
    }

    /// The saving of line 26, by the way of counting.
    pub(super) fn saving(&self, a: Rank, b: Rank) -> A {
        let (here, there) = (self.node_of[a.index()], self.node_of[b.index()]);
        let listed = self.cost_at(a, here) - self.cost_at(a, there)
            + (self.cost_at(b, there) - self.cost_at(b, here));
        match self.counting {
            Counting::Listing => listed,
            Counting::Exact => {
                let between = self.affinity.bytes_between(a, b).unwrap_or(0);
                listed - A::hop_bytes(between, 2 * i64::from(self.distances.hops(here, there)))
            }
        }
    }

    pub(super) fn hop_bytes(&self) -> i128 {
        let at = |rank: Rank| self.node_of[rank.index()];
        let of = |rank| -> i128 {
            let partners = self.affinity.partners(rank);
            let hops = |other| i64::from(self.distances.hops(at(rank), at(other)));
            partners
                .map(|(other, bytes)| i128::from(bytes) * i128::from(hops(other)))
                .sum()
        };
        (0..self.node_of.len()).map(Rank::at).map(of).sum::<i128>() / 2
    }

    fn cost_at(&self, rank: Rank, node: NodeId) -> A {
        self.cost[rank.index() * self.nodes + node.index()]
    }

    /// Adds (`sign` 1) or subtracts (`sign` -1) the cost of exchanging `bytes` with a process on
    /// node `at`, for `rank` on every node.
    fn add_cost(&mut self, rank: Rank, at: NodeId, bytes: u64, sign: i64) {
        let row = &mut self.cost[rank.index() * self.nodes..][..self.nodes];
        for (node, cost) in row.iter_mut().enumerate() {
            let hops = i64::from(self.distances.hops(NodeId::at(node), at));
            *cost += A::hop_bytes(bytes, sign * hops);
        }
    }
}
