//! Annealing on predicted time: exchanges of ranks, and of whole nodes, that lower a smooth stand-in for it.
//!
//! Bytes of every link of the exact routes are kept up to date move by move, as whole numbers. The temperature
//! falls from a tiny share of the energy on, so that what is good in the start survives; from several good starts
//! more is found than from one in the same time. The exponent of the norm rises from 4 to 16: first many links are
//! unloaded, then the busiest ones. With 4 to the end, placements are ruined.

mod board;
mod energy;
mod proposal;

use super::congestion::nearby::Nearby;
use board::Board;
use energy::{Energy, LEAST_SHARE};
use proposal::Proposals;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_model::ids::NodeId;
use rankfold_model::machine::{Distances, Machine};
use rankfold_model::metric::time::TimeModel;
use rankfold_model::placement::Placement;
use std::time::Instant;

/// Moves proposed between two counts of all links: so many for each rank within these bounds, and one for so many links.
/// Fewer let the bargains fade before the next one is met.
const ROUND_A_RANK: usize = 10;
const ROUND: (usize, usize) = (500, 20_000);
const LINKS_A_MOVE: usize = 8;

/// First and last temperature, in units of the energy at the start: next to nothing. Forty times as warm, what is good
/// in the start is lost, and eight times the work does not bring it back.
const WARM: f64 = 5e-4;
const COLD: f64 = 2e-6;

/// log2 of the norm's exponent, and of the one that takes over after this share of the work.
const EXPONENT: u32 = 2;
const LATE_EXPONENT: u32 = 4;
const LATE: f64 = 0.4;

/// A move may cost so many times the transfer that the best bargain of late paid for unloading links.
const SLACK: f64 = 2.0;
/// What is left of that bargain a round later.
const FADES: f64 = 0.7;

/// How long to anneal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// Links to pass.
    pub(crate) work: u64,
    /// With a deadline the temperature follows the clock, and `work` is no limit.
    pub(crate) deadline: Option<Instant>,
}

/// What annealing did.
#[derive(Clone, Debug)]
pub(crate) struct Annealed {
    pub(crate) placement: Placement,
    /// Busiest link + s x mean transfer of the start and of the result.
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) rounds: u32,
    pub(crate) proposed: u64,
    pub(crate) accepted: u64,
}

/// A machine and a graph on it, made ready for any number of anneals.
pub(crate) struct TimeSearch<'a> {
    model: &'a TimeModel<'a>,
    machine: &'a Machine,
    nearby: Nearby,
    distances: Distances,
    /// Whether some node takes more than one rank.
    several: bool,
}

impl<'a> TimeSearch<'a> {
    /// `None` where no placement makes a difference: nobody sends anything, all ranks sit on one node.
    pub(crate) fn new(model: &'a TimeModel<'a>, machine: &'a Machine) -> Option<Self> {
        let slots = machine.slots();
        let capacities = || (0..slots.nodes()).map(|n| slots.capacity(NodeId::at(n)));
        let usable = capacities().filter(|&capacity| capacity > 0).count();
        (usable > 1 && model.graph().pairs() > 0).then(|| Self {
            model,
            machine,
            nearby: Nearby::new(machine),
            distances: machine.topology().distances(),
            several: capacities().any(|capacity| capacity > 1),
        })
    }

    /// Anneals from `start`; the result is never above it in busiest link + s x mean transfer.
    ///
    /// `None` where routes are too many to remember.
    pub(crate) fn anneal(
        &self,
        start: &Placement,
        schedule: Schedule,
        seed: u64,
    ) -> Option<Annealed> {
        Some(self.walk(start, seed)?.run(schedule))
    }

    fn walk(&self, start: &Placement, seed: u64) -> Option<Walk<'_>> {
        let board = Board::new(self.model.graph(), self.machine, start)?;
        Some(Walk {
            energy: Energy::new(&board, self.model.s(), EXPONENT),
            proposals: Proposals {
                nearby: &self.nearby,
                distances: &self.distances,
                several: self.several,
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
            },
            exchanges: Vec::new(),
            hop: mean_slowness(&board) * self.model.s().max(LEAST_SHARE) / board.ranks() as f64,
            bargain: 0.0,
            bargains: 0.0,
            proposed: 0,
            accepted: 0,
            board,
        })
    }
}

/// One anneal under way.
struct Walk<'a> {
    board: Board<'a>,
    energy: Energy,
    proposals: Proposals<'a>,
    /// The move under consideration.
    exchanges: Vec<board::Exchange>,
    /// What a byte costs the energy on a link of mean speed.
    hop: f64,
    /// The most energy that unloading links saved beyond transfer, in the rounds before and in this one.
    bargain: f64,
    bargains: f64,
    proposed: u64,
    accepted: u64,
}

impl Walk<'_> {
    fn run(&mut self, schedule: Schedule) -> Annealed {
        let begun = Instant::now();
        let (before, energy) = (self.energy.time(), self.energy.now());
        let (mut best, mut rounds) = ((before, self.board.seats.placement()), 0);
        let each = (ROUND_A_RANK * self.board.ranks()).clamp(ROUND.0, ROUND.1);
        let each = each.max(self.board.bytes.len() / LINKS_A_MOVE);
        let mut done = schedule.done(self.board.work, begun);
        while done < 1.0 {
            let temperature = energy * WARM * (COLD / WARM).powf(done);
            for _ in 0..each {
                self.step(temperature);
            }
            self.bargain = self.bargains.max(FADES * self.bargain);
            self.bargains = 0.0;
            // Counting all links and proposing moves that lead nowhere takes time, too.
            self.board.work += (self.board.bytes.len() + each) as u64;
            done = schedule.done(self.board.work, begun);
            let squarings = if done < LATE { EXPONENT } else { LATE_EXPONENT };
            self.energy.renew(&self.board, squarings);
            rounds += 1;
            if self.energy.time() < best.0 {
                best = (self.energy.time(), self.board.seats.placement());
            }
        }
        Annealed {
            placement: best.1,
            before,
            after: best.0,
            rounds,
            proposed: self.proposed,
            accepted: self.accepted,
        }
    }

    /// Tries one move by Metropolis' rule.
    #[inline]
    fn step(&mut self, temperature: f64) {
        if !self.proposals.draw(&self.board, &mut self.exchanges) {
            return;
        }
        self.proposed += 1;
        // Drawn first: most moves then turn out too bad at the first look.
        let most = -temperature * self.proposals.random.random::<f64>().ln();
        let longer = self.proposals.longer(&mut self.board, &self.exchanges);
        let cost = longer.map(|hop_bytes| self.hop * hop_bytes);
        if cost.is_some_and(|cost| cost > most + SLACK * self.bargain) {
            return;
        }
        self.board.open(&self.exchanges);
        let after = self.energy.after(&self.board);
        let change = after.energy - self.energy.now();
        if change <= most {
            self.bargains = self.bargains.max(cost.map_or(0.0, |cost| cost - change));
            self.energy.keep(&self.board, after);
            self.board.keep();
            self.accepted += 1;
        } else {
            self.board.drop(&self.exchanges);
        }
    }
}

/// Mean of 1 / bandwidth over the network's channels.
fn mean_slowness(board: &Board<'_>) -> f64 {
    board.slowness.iter().sum::<f64>() / board.slowness.len().max(1) as f64
}

impl Schedule {
    /// How much of it is over: from 0 on, 1 at the end.
    fn done(&self, work: u64, begun: Instant) -> f64 {
        match self.deadline {
            None => work as f64 / self.work.max(1) as f64,
            Some(end) => {
                let whole = end.saturating_duration_since(begun).as_secs_f64();
                begun.elapsed().as_secs_f64() / whole.max(1e-3)
            }
        }
    }
}

#[cfg(test)]
mod tests;
