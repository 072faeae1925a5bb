//! One congestion descent: exchanges of ranks, or of all ranks of two nodes, on a board of link
//! loads.

mod energy;
mod occupants;

use crate::links::{LinkBoard, Nearby, Relocation};
use energy::Energy;
use occupants::Occupants;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::Constraints;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_problem::heuristic::Problem;
use rankfold_problem::objective::DescentAim;

/// Exchanges proposed between two counts of all channels and of the hot ranks. Chosen by hand; no
/// measurement is recorded, as of the other constants of this file.
const ROUND: u32 = 400;
/// A channel above this share of the highest congestion is hot.
const HOT: f64 = 0.93;
/// An exchange that raises the energy by this much is accepted with probability 1/e.
const TEMPERATURE: f64 = 0.002;
/// The share of the work after which an exponent holds, and the exponent's logarithm to base 2; the
/// last exponent first.
const EXPONENTS: [(f64, u32); 3] = [(0.65, 5), (0.3, 4), (0.0, 3)];

/// The result of a descent, and what the descent did.
#[derive(Clone, Debug)]
pub(crate) struct Descended {
    pub(crate) placement: Placement,
    pub(crate) proposed: u64,
    pub(crate) accepted: u64,
}

/// Lowers `aim` from `start` until `work` channels have been passed. The result has at most `limit`
/// hop-bytes, or as many as `start`.
///
/// `None` where routes are too many to remember, or no bytes cross the network.
pub(crate) fn descend(
    problem: &Problem<'_>,
    start: &Placement,
    aim: &dyn DescentAim,
    limit: u128,
    work: u64,
    seed: u64,
) -> Option<Descended> {
    let mut search = CongestionSearch::new(problem, start, aim, limit, seed)?;
    if search.energy.sums.hop_bytes == 0 {
        return None;
    }
    let nodes: Vec<NodeId> = search.run(work).into_iter().map(NodeId).collect();
    Some(Descended {
        placement: start.moved_to(&nodes, problem.machine.slots()),
        proposed: search.proposed,
        accepted: search.accepted,
    })
}

struct CongestionSearch<'a> {
    board: LinkBoard<'a>,
    constraints: &'a Constraints,
    occupants: Occupants,
    energy: Energy<'a>,
    nearby: Nearby,
    random: Xoshiro256PlusPlus,
    /// Sender and receiver of every message that crosses a hot channel: more exchanges start there.
    hot: Vec<u32>,
    limit: u128,
    /// Whether some node takes more than one rank.
    several: bool,
    proposed: u64,
    accepted: u64,
}

impl<'a> CongestionSearch<'a> {
    /// `None` where routes are too many to remember.
    fn new(
        problem: &Problem<'a>,
        start: &Placement,
        aim: &'a dyn DescentAim,
        limit: u128,
        seed: u64,
    ) -> Option<Self> {
        let machine = problem.machine;
        let node_of = start.nodes(machine.slots()).into_iter().map(|n| n.0);
        let (graph, ties) = (problem.graph, aim.unknown_ties());
        let board = LinkBoard::new(graph, machine, node_of.collect(), false, ties)?;
        let occupants = Occupants::new(machine.slots(), &board.node_of);
        Some(Self {
            energy: Energy::new(aim, &board, EXPONENTS[2].1),
            nearby: Nearby::new(machine),
            constraints: problem.constraints,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            hot: Vec::new(),
            limit,
            several: (0..machine.slots().nodes() as u32).any(|n| occupants.capacity(n) > 1),
            proposed: 0,
            accepted: 0,
            occupants,
            board,
        })
    }

    /// Searches, and returns the nodes of the best placement seen at the end of a round.
    fn run(&mut self, work: u64) -> Vec<u32> {
        let end = self.board.work + work;
        let begin = self.board.work;
        let mut best = (self.energy.rating(&self.board), self.board.node_of.clone());
        while self.board.work < end {
            let done = (self.board.work - begin) as f64 / work as f64;
            let (_, squarings) = EXPONENTS[EXPONENTS.partition_point(|&(from, _)| from > done)];
            self.energy.renew(&self.board, squarings);
            self.hot = self.board.ends_of_busy(HOT);
            for _ in 0..ROUND {
                self.step();
            }
            self.board.work += self.board.loads.len() as u64 + u64::from(ROUND);
            let now = self.energy.rating(&self.board);
            if now < best.0 && self.energy.sums.hop_bytes <= self.limit {
                best = (now, self.board.node_of.clone());
            }
        }
        best.1
    }

    fn step(&mut self) {
        let proposed = self.propose();
        let Some(exchange) = proposed.filter(|moves| self.is_allowed(moves)) else {
            return;
        };
        self.proposed += 1;
        self.occupants.relocate(&exchange);
        self.board.open(&exchange);
        let next = self.energy.after(&self.board);
        let cost = next.value() - self.energy.value();
        let allowed = next.sums.hop_bytes <= self.limit.max(self.energy.sums.hop_bytes);
        let taken = cost <= 0.0 || self.random.random::<f64>() < (-cost / TEMPERATURE).exp();
        if allowed && taken {
            self.energy = next;
            self.board.keep();
            self.accepted += 1;
        } else {
            self.board.take_back(&exchange);
            self.occupants.take_back(&exchange);
        }
    }

    fn is_allowed(&self, moves: &[Relocation]) -> bool {
        let moves = moves
            .iter()
            .map(|moved| (Rank(moved.rank), NodeId(moved.to)));
        let node_of = |rank: Rank| NodeId(self.board.node_of[rank.index()]);
        self.constraints.allows(&moves, node_of)
    }

    /// Draws a rank, mostly a hot one, and a seat near its node or near a partner's node; or all
    /// ranks of the two nodes. `None` if the drawn exchange is not possible or changes nothing.
    fn propose(&mut self) -> Option<Vec<Relocation>> {
        let anyone = self.hot.is_empty() || self.random.random_range(0..4) == 0;
        let rank = if anyone {
            self.random.random_range(0..self.board.ranks() as u32)
        } else {
            self.hot[self.random.random_range(0..self.hot.len())]
        };
        let peers = self.board.peers_of(rank);
        if peers.is_empty() {
            return None;
        }
        let here = self.board.node_of[rank as usize];
        let centre = if self.random.random() {
            here
        } else {
            let peer = peers[self.random.random_range(0..peers.len())].rank;
            self.board.node_of[peer as usize]
        };
        let there = self.nearby.draw(centre, &mut self.random);
        if there == here {
            return None;
        }
        let capacity = |node| self.occupants.capacity(node) as usize;
        let (ours, theirs) = (self.occupants.of(here), self.occupants.of(there));
        if self.several && self.random.random_range(0..3) == 0 {
            let fit = ours.len() <= capacity(there) && theirs.len() <= capacity(here);
            return fit.then(|| exchange((here, ours), (there, theirs)));
        }
        let seat = self.random.random_range(0..capacity(there));
        let theirs = theirs.get(seat).map_or(&[][..], std::slice::from_ref);
        Some(exchange((here, &[rank]), (there, theirs)))
    }
}

/// Ranks of one node go to another node, and ranks of that node come back.
fn exchange((here, ours): (u32, &[u32]), (there, theirs): (u32, &[u32])) -> Vec<Relocation> {
    let relocated = |ranks: &[u32], from, to| {
        let relocated = |&rank| Relocation { rank, from, to };
        ranks.iter().map(relocated).collect::<Vec<_>>()
    };
    let mut all = relocated(ours, here, there);
    all.extend(relocated(theirs, there, here));
    all
}

#[cfg(test)]
mod tests;
