//! Congestion descent: exchanges that lower the sum of (load / bandwidth)^p over the channels of
//! the exact routes, p rising from 8 to 32, hop-bytes kept below a limit.
//!
//! Moves are exchanges of two ranks or of all ranks of two nodes. They start at ranks whose
//! messages cross a channel near the highest congestion, and go next to themselves or to a partner:
//! within a leaf switch, an exchange changes no distance and yet moves messages to other cables.
//! The sum of powers stands in for the highest congestion, which hardly any single exchange
//! changes.

mod energy;
mod loads;
pub(super) mod nearby;
pub(super) mod peers;
pub(super) mod routes;

use crate::heuristic::Problem;
use crate::objective::Aim;
use energy::Energy;
use loads::{Loads, RankExchange};
use nearby::Nearby;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_model::ids::NodeId;
use rankfold_model::placement::Placement;

/// Exchanges proposed before the sums over channels and the list of hot ranks are made anew.
const ROUND: u32 = 400;
/// Channels above this share of the highest congestion are hot.
const HOT: f64 = 0.93;
/// Rise of the energy at which an exchange is accepted with probability 1/e.
const TEMPERATURE: f64 = 0.002;
/// Share of the work from which on an exponent holds, and its logarithm to base 2; the last
/// exponent first.
const EXPONENTS: [(f64, u32); 3] = [(0.65, 5), (0.3, 4), (0.0, 3)];

/// What a descent did.
#[derive(Clone, Debug)]
pub(crate) struct Descent {
    pub(crate) placement: Placement,
    pub(crate) proposed: u64,
    pub(crate) accepted: u64,
}

/// Lowers `aim` from `start` until it has passed `work` channels; hop-bytes stay at `limit` or
/// below.
///
/// `None` where routes are too many to remember, or nobody sends anything.
pub(crate) fn descend(
    problem: &Problem<'_>,
    start: &Placement,
    aim: Aim,
    limit: u128,
    work: u64,
    seed: u64,
) -> Option<Descent> {
    let loads = Loads::new(problem.graph, problem.machine, start)?;
    if loads.hop_bytes == 0 {
        return None;
    }
    let mut search = CongestionSearch {
        energy: Energy::new(aim, &loads, EXPONENTS[2].1),
        nearby: Nearby::new(problem.machine),
        random: Xoshiro256PlusPlus::seed_from_u64(seed),
        hot: Vec::new(),
        limit,
        several: (0..problem.machine.slots().nodes() as u32).any(|n| loads.capacity(n) > 1),
        proposed: 0,
        accepted: 0,
        aim,
        loads,
    };
    let nodes: Vec<NodeId> = search.run(work).into_iter().map(NodeId).collect();
    Some(Descent {
        placement: start.moved_to(&nodes, problem.machine.slots()),
        proposed: search.proposed,
        accepted: search.accepted,
    })
}

struct CongestionSearch<'a> {
    loads: Loads<'a>,
    energy: Energy,
    nearby: Nearby,
    random: Xoshiro256PlusPlus,
    /// Sender and receiver of every message that crosses a hot channel.
    hot: Vec<u32>,
    limit: u128,
    /// Whether some node takes more than one rank.
    several: bool,
    aim: Aim,
    proposed: u64,
    accepted: u64,
}

impl CongestionSearch<'_> {
    /// The nodes of the best placement seen at the end of a round.
    fn run(&mut self, work: u64) -> Vec<u32> {
        let end = self.loads.work + work;
        let begin = self.loads.work;
        let mut best = (self.rating(), self.loads.node_of.clone());
        while self.loads.work < end {
            let done = (self.loads.work - begin) as f64 / work as f64;
            let (_, squarings) = EXPONENTS[EXPONENTS.partition_point(|&(from, _)| from > done)];
            self.energy = self.energy.renewed(&self.loads, squarings);
            self.find_hot();
            for _ in 0..ROUND {
                self.step();
            }
            self.loads.work += self.loads.bytes.len() as u64 + u64::from(ROUND);
            let now = self.rating();
            if now < best.0 && self.loads.hop_bytes <= self.limit {
                best = (now, self.loads.node_of.clone());
            }
        }
        best.1
    }

    fn rating(&self) -> f64 {
        match self.aim {
            Aim::Congestion => self.loads.highest(),
            Aim::Hybrid { .. } => self.energy.value(self.loads.hop_bytes),
        }
    }

    fn find_hot(&mut self) {
        let threshold = HOT * self.loads.highest();
        let is_hot: Vec<bool> = (0..self.loads.bytes.len() as u32)
            .map(|c| self.loads.congestion(c) > threshold)
            .collect();
        self.hot.clear();
        for rank in 0..self.loads.ranks() as u32 {
            for place in 0..self.loads.peers(rank).len() {
                let peer = self.loads.peers(rank)[place];
                let mut crosses = false;
                if peer.sends() {
                    let visit = |c: u32| crosses |= is_hot[c as usize];
                    self.loads.follow(rank, peer.rank, visit);
                }
                if crosses {
                    self.hot.extend([rank, peer.rank]);
                }
            }
        }
    }

    fn step(&mut self) {
        let Some(exchange) = self.propose() else {
            return;
        };
        self.proposed += 1;
        let before = self.loads.hop_bytes;
        self.loads.exchange(&exchange);
        let next = self.energy.after(&self.loads);
        let now = self.loads.hop_bytes;
        let cost = next.value(now) - self.energy.value(before);
        let allowed = now <= self.limit.max(before);
        let taken = cost <= 0.0 || self.random.random::<f64>() < (-cost / TEMPERATURE).exp();
        if allowed && taken {
            self.energy = next;
            self.accepted += 1;
        } else {
            self.loads.undo(exchange, before);
        }
    }

    /// A rank, mostly a hot one, and a seat near it or near a partner; or all ranks of the two
    /// nodes.
    fn propose(&mut self) -> Option<RankExchange> {
        let anyone = self.hot.is_empty() || self.random.random_range(0..4) == 0;
        let rank = if anyone {
            self.random.random_range(0..self.loads.ranks() as u32)
        } else {
            self.hot[self.random.random_range(0..self.hot.len())]
        };
        let peers = self.loads.peers(rank);
        if peers.is_empty() {
            return None;
        }
        let here = self.loads.node_of[rank as usize];
        let centre = if self.random.random() {
            here
        } else {
            let peer = peers[self.random.random_range(0..peers.len())].rank;
            self.loads.node_of[peer as usize]
        };
        let there = self.nearby.draw(centre, &mut self.random);
        if there == here {
            return None;
        }
        let theirs = self.loads.members(there);
        if self.several && self.random.random_range(0..3) == 0 {
            let ours = self.loads.members(here);
            let fit = ours.len() <= self.loads.capacity(there) as usize
                && theirs.len() <= self.loads.capacity(here) as usize;
            return fit.then(|| RankExchange {
                here,
                there,
                ours: ours.to_vec(),
                theirs: theirs.to_vec(),
            });
        }
        let seat = self
            .random
            .random_range(0..self.loads.capacity(there) as usize);
        Some(RankExchange {
            here,
            there,
            ours: vec![rank],
            theirs: theirs.get(seat).copied().into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests;
