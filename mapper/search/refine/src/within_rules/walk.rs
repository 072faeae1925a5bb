//! A walk from placement to placement that keeps all constraints.

use super::super::links::Nearby;
use super::super::seating::Seating;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::{Placement, Rank, SlotId};
use rankfold_problem::heuristic::Problem;
use std::time::Instant;

/// The temperatures at the beginning, hot and not, and at the end, as parts of the hop-bytes of a
/// rank.
const HOT: f64 = 1.0;
const WARM: f64 = 0.03;
const LAST: f64 = 0.003;

/// After this share of the exchanges, only those are taken that lower hop-bytes.
const COLD_AFTER: f64 = 0.85;

/// The deadline is asked for, and the best placement kept, every so many exchanges.
const ROUND: u64 = 64;

/// How long a walk is, and how hot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    pub(super) is_hot: bool,
    /// Exchanges tried.
    pub(super) moves: u64,
    /// The most edges looked up.
    pub(super) lookups: u64,
    pub(super) deadline: Option<Instant>,
}

/// A walk under way.
pub(super) struct Walk<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) seating: Seating<'a, i128>,
    pub(super) nearby: Nearby,
    pub(super) random: Xoshiro256PlusPlus,
    pub(super) left: Left,
}

/// The ranks that have left the placement to begin from.
pub(super) struct Left {
    ranks: Vec<Rank>,
    /// The most there may be.
    most: usize,
}

impl Left {
    pub(super) fn is_full(&self) -> bool {
        self.ranks.len() >= self.most
    }

    pub(super) fn ranks(&self) -> &[Rank] {
        &self.ranks
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, start: &'a mut Placement, seed: u64) -> Self {
        let constraints = problem.constraints;
        let ranks = (0..start.ranks()).map(Rank::at);
        let left = ranks.filter(|&rank| constraints.has_moved(rank, start.slot(rank)));
        Self {
            left: Left {
                ranks: left.collect(),
                most: constraints.start().map_or(usize::MAX, |(_, most)| most),
            },
            seating: Seating::new(problem.affinity, problem.machine, start),
            nearby: Nearby::new(problem.machine),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            problem,
        }
    }

    /// Walks, and leaves the best placement seen; returns the number of exchanges taken.
    pub(super) fn run(mut self, schedule: Schedule) -> u64 {
        let mut cost = self.seating.hop_bytes() as i128;
        let mut best = (cost, self.seating.placement().clone());
        let scale = cost as f64 / self.problem.graph.ranks().max(1) as f64;
        let first = if schedule.is_hot { HOT } else { WARM };
        let mut taken = 0;
        for number in 0..schedule.moves {
            let is_round = number % ROUND == 0;
            if is_round && cost < best.0 {
                best = (cost, self.seating.placement().clone());
            }
            let is_late = |end| Instant::now() >= end;
            if self.seating.lookups > schedule.lookups
                || is_round && schedule.deadline.is_some_and(is_late)
            {
                break;
            }
            let done = number as f64 / schedule.moves as f64;
            let temperature = if done > COLD_AFTER {
                0.0
            } else {
                scale * first * f64::powf(LAST / first, done / COLD_AFTER)
            };
            if let Some(gain) = self.step(temperature) {
                cost -= gain;
                taken += 1;
            }
        }
        if cost > best.0 {
            self.seating.seat_as(&best.1);
        }
        taken
    }

    /// Draws an exchange and takes it or not; the hop-bytes saved, if it was taken.
    fn step(&mut self, temperature: f64) -> Option<i128> {
        let exchange = self.draw()?;
        if !self.is_allowed(&exchange) {
            return None;
        }
        let mut gain = 0;
        for &pair in &exchange {
            gain += self.exchange(pair);
        }
        let is_taken = gain >= 0 || self.random.random::<f64>() < (gain as f64 / temperature).exp();
        if is_taken {
            self.count(&exchange);
            return Some(gain);
        }
        for &pair in &exchange {
            self.exchange(pair);
        }
        None
    }

    /// Exchanges the ranks of two slots; returns the hop-bytes saved.
    fn exchange(&mut self, (one, other): (SlotId, SlotId)) -> i128 {
        let (rank, slot) = match (self.seating.rank(one), self.seating.rank(other)) {
            (Some(rank), _) => (rank, other),
            (None, Some(rank)) => (rank, one),
            (None, None) => return 0,
        };
        let back = self.seating.rank(slot);
        let node = self.problem.machine.slots().node_of(slot);
        let gain = self.seating.gain_of_move(rank, node) + self.seating.gain_of_return(rank, back);
        self.seating.exchange(rank, slot);
        gain
    }

    fn moved(&self, exchange: &[(SlotId, SlotId)]) -> impl Iterator<Item = (Rank, SlotId)> + Clone {
        let both = exchange.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let moved = both.filter_map(|(from, to)| Some((self.seating.rank(from)?, to)));
        moved.collect::<Vec<_>>().into_iter()
    }

    fn is_allowed(&self, exchange: &[(SlotId, SlotId)]) -> bool {
        let (slots, constraints) = (self.problem.machine.slots(), self.problem.constraints);
        let moved = self.moved(exchange);
        let to_nodes = moved
            .clone()
            .map(|(rank, slot)| (rank, slots.node_of(slot)));
        if !constraints.allows(&to_nodes, |rank| self.seating.node(rank)) {
            return false;
        }
        if self.left.most == usize::MAX {
            return true;
        }
        let leaving = moved
            .clone()
            .filter(|&(rank, to)| constraints.has_moved(rank, to));
        let gone = moved.filter(|&(rank, _)| constraints.has_moved(rank, self.seating.slot(rank)));
        self.left.ranks.len() + leaving.count() <= self.left.most + gone.count()
    }

    /// Counts the ranks of an exchange that was made.
    fn count(&mut self, exchange: &[(SlotId, SlotId)]) {
        if self.left.most == usize::MAX {
            return;
        }
        let slots = exchange.iter().flat_map(|&(a, b)| [a, b]);
        for (slot, rank) in slots.filter_map(|slot| Some((slot, self.seating.rank(slot)?))) {
            let place = self.left.ranks.iter().position(|&left| left == rank);
            match (place, self.problem.constraints.has_moved(rank, slot)) {
                (None, true) => self.left.ranks.push(rank),
                (Some(place), false) => drop(self.left.ranks.swap_remove(place)),
                _ => {}
            }
        }
    }
}
