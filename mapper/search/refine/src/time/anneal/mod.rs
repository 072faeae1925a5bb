//! One anneal on the times of links, with a descent on the exact time at its end.
//!
//! [`LinkAnneal`] is what all anneals on one graph and machine share, [`Walk`] is one anneal under
//! way.

mod energy;
mod exact;
mod proposal;
mod seats;
mod subtrees;

use crate::links::{LinkBoard, Nearby, Relocation};
use energy::{Energy, LEAST_SHARE, Sums};
use exact::ExactTime;
use proposal::Proposals;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::Constraints;
use rankfold_base::{NodeId, Placement};
use rankfold_machine::{Distances, Machine};
use rankfold_problem::objective::LinkTimes;
use seats::{Exchange, Seats};
use std::time::Instant;
use subtrees::Subtrees;

/// Moves proposed in a round, that is between two counts of all links: [`MOVES_A_RANK`] for each
/// rank within the bounds [`MOVES_A_ROUND`], and at least one for every [`LINKS_A_MOVE`] links.
/// With fewer moves, [`Walk::saving`] fades before the next good move is met.
const MOVES_A_RANK: usize = 10;
const MOVES_A_ROUND: (usize, usize) = (500, 20_000);
const LINKS_A_MOVE: usize = 8;

/// Every so many rounds the slower counts are taken anew: the waits of all pairs, and the ranks
/// that load the busiest links.
const SLOW_COUNT_EVERY: u32 = 4;

/// A link is busy above this share of the busiest link's time. In the later part of an anneal, some
/// moves are of ranks that load busy links.
const BUSY: f64 = 0.9;

/// The last descent tries this many moves for each sender and receiver of a message that takes
/// longest.
const TRIES: usize = 64;
/// The last descent's share of the work, or of the time until a deadline.
const LAST: f64 = 0.1;

/// First and last temperature, in units of the energy at the start. Measured when the anneal was
/// written: forty times as warm, what is good in the start is lost, and eight times the work does
/// not bring it back.
pub(super) const FIRST_TEMPERATURE: f64 = 5e-4;
const LAST_TEMPERATURE: f64 = 2e-6;

/// log2 of the norm's exponent, and of the exponent that takes over after the share [`LATE`] of the
/// work. Measured when the anneal was written: exponent 4 to the end ruins placements.
const EXPONENT: u32 = 2;
const LATE_EXPONENT: u32 = 4;
const LATE: f64 = 0.4;

/// A move is tried if its transfer costs at most this many times what unloading links lately saved
/// ([`Walk::saving`]).
const SLACK: f64 = 2.0;
/// The share of [`Walk::saving`] that is left a round later.
const FADES: f64 = 0.7;

/// How long to anneal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// The number of links to pass.
    pub(crate) work: u64,
    /// With a deadline the temperature follows the clock, and `work` limits only the last descent.
    pub(crate) deadline: Option<Instant>,
    /// The first temperature, in units of the energy at the start.
    pub(crate) temperature: f64,
}

/// The result of an anneal, and what the anneal did.
#[derive(Clone, Debug)]
pub(crate) struct Annealed {
    pub(crate) placement: Placement,
    /// The time that was annealed, of the start and of the result.
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) rounds: u32,
    pub(crate) proposed: u64,
    pub(crate) accepted: u64,
}

/// A machine and the times of its links, made ready for any number of anneals.
pub(crate) struct LinkAnneal<'a> {
    times: LinkTimes<'a>,
    machine: &'a Machine,
    constraints: &'a Constraints,
    nearby: Nearby,
    subtrees: Subtrees,
    distances: Distances,
    /// Whether some node takes more than one rank.
    several: bool,
}

impl<'a> LinkAnneal<'a> {
    /// `None` where no placement makes a difference: nobody sends anything, or all ranks sit on one
    /// node.
    pub(crate) fn new(
        times: LinkTimes<'a>,
        machine: &'a Machine,
        constraints: &'a Constraints,
    ) -> Option<Self> {
        let slots = machine.slots();
        let capacities = || (0..slots.nodes()).map(|n| slots.capacity(NodeId::at(n)));
        let usable = capacities().filter(|&capacity| capacity > 0).count();
        (usable > 1 && times.graph.pairs() > 0).then(|| Self {
            times,
            machine,
            constraints,
            nearby: Nearby::new(machine),
            subtrees: Subtrees::new(machine),
            distances: machine.topology().distances(),
            several: capacities().any(|capacity| capacity > 1),
        })
    }

    /// Anneals from `start`. The result's time is never above that of `start`.
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
        let times = self.times;
        let seats = Seats::new(self.machine, start);
        let (graph, ties) = (times.graph, times.unknown_ties);
        let nodes = seats.nodes();
        let mut board = LinkBoard::new(graph, self.machine, nodes, times.timed, ties)?;
        Some(Walk {
            energy: Energy::new(&mut board, (times.transfer_share, times.overhead), EXPONENT),
            proposals: Proposals {
                nearby: &self.nearby,
                distances: &self.distances,
                subtrees: &self.subtrees,
                several: self.several,
                constraints: self.constraints,
                hot: Vec::new(),
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
            },
            exchanges: Vec::new(),
            relocations: Vec::new(),
            hop: mean_slowness(&board) * times.transfer_share.max(LEAST_SHARE)
                / board.ranks() as f64,
            saving: 0.0,
            saving_of_round: 0.0,
            proposed: 0,
            accepted: 0,
            seats,
            board,
        })
    }
}

/// One anneal under way.
struct Walk<'a> {
    board: LinkBoard<'a>,
    seats: Seats,
    energy: Energy,
    proposals: Proposals<'a>,
    /// The move under consideration: the seats that change hands, and the ranks that move for it.
    exchanges: Vec<Exchange>,
    relocations: Vec<Relocation>,
    /// What a byte on a link of mean speed adds to the energy as transfer.
    hop: f64,
    /// The most energy that a move saved by unloading links, beside what its transfer cost: in
    /// earlier rounds (fading), and in this round.
    saving: f64,
    saving_of_round: f64,
    proposed: u64,
    accepted: u64,
}

impl Walk<'_> {
    fn run(mut self, schedule: Schedule) -> Annealed {
        let begun = Instant::now();
        let before = self.time();
        let energy = self.energy.now().energy;
        let (mut best, mut rounds) = ((before, self.seats.placement()), 0);
        let each = (MOVES_A_RANK * self.board.ranks()).clamp(MOVES_A_ROUND.0, MOVES_A_ROUND.1);
        let each = each.max(self.board.loads.len() / LINKS_A_MOVE);
        let mut done = schedule.done(self.board.work, begun);
        while done < 1.0 {
            let first = schedule.temperature;
            let temperature = energy * first * (LAST_TEMPERATURE / first).powf(done);
            for _ in 0..each {
                self.step(temperature);
            }
            self.saving = self.saving_of_round.max(FADES * self.saving);
            self.saving_of_round = 0.0;
            // Counting all links takes time, too, and so does proposing moves that lead nowhere.
            self.board.work += (self.board.loads.len() + each) as u64;
            done = schedule.done(self.board.work, begun);
            let late = done >= LATE;
            let squarings = if late { LATE_EXPONENT } else { EXPONENT };
            self.energy.renew(&self.board, squarings);
            rounds += 1;
            if self.energy.time() < best.0 || rounds % SLOW_COUNT_EVERY == 0 {
                let time = self.time();
                if time < best.0 {
                    best = (time, self.seats.placement());
                }
            }
            if late && rounds % SLOW_COUNT_EVERY == 0 {
                self.proposals.hot = self.board.ends_of_busy(BUSY);
            }
        }
        self.seats.seat(&best.1);
        self.board.reseat(self.seats.nodes());
        self.descend(schedule);
        Annealed {
            before,
            after: best.0.min(self.time()),
            placement: self.seats.placement(),
            rounds,
            proposed: self.proposed,
            accepted: self.accepted,
        }
    }

    /// The time that is annealed, with the longest wait counted anew.
    fn time(&mut self) -> f64 {
        let longest = self.energy.renew_waits(&mut self.board);
        self.energy.time() + longest
    }

    /// Tries one move by Metropolis' rule.
    #[inline]
    fn step(&mut self, temperature: f64) {
        if !self
            .proposals
            .draw(&self.board, &self.seats, &mut self.exchanges)
        {
            return;
        }
        self.proposed += 1;
        // The random number of Metropolis' rule is drawn first, so that the cheap estimate of the
        // transfer turns most bad moves away.
        let most = -temperature * self.proposals.random.random::<f64>().ln();
        let longer = self
            .proposals
            .longer(&mut self.board, &self.seats, &self.exchanges);
        let cost = longer.map(|hop_bytes| self.hop * hop_bytes);
        if cost.is_some_and(|cost| cost > most + SLACK * self.saving) {
            return;
        }
        self.open();
        let after = self.energy.after(&self.board);
        let change = after.energy - self.energy.now().energy;
        if change <= most {
            let saving = cost.map_or(0.0, |cost| cost - change);
            self.saving_of_round = self.saving_of_round.max(saving);
            self.take(after);
        } else {
            self.take_back();
        }
    }

    /// Opens the move under consideration.
    #[inline]
    fn open(&mut self) {
        self.seats
            .relocations(&self.exchanges, &mut self.relocations);
        self.seats.exchange(&self.exchanges);
        self.board.open(&self.relocations);
    }

    /// Takes the open move back.
    #[inline]
    fn take_back(&mut self) {
        self.seats.exchange(&self.exchanges);
        self.board.take_back(&self.relocations);
    }

    fn take(&mut self, after: Sums) {
        self.energy.keep(&self.board, after);
        self.board.keep();
        self.accepted += 1;
    }

    /// Takes moves that lower the exact time, until none of many moves does.
    fn descend(&mut self, schedule: Schedule) {
        let end = self.board.work + (schedule.work as f64 * LAST) as u64;
        let mut gained = true;
        while gained && self.board.work < end && !schedule.is_over() {
            self.energy.renew(&self.board, LATE_EXPONENT);
            self.energy.renew_waits(&mut self.board);
            let exact = ExactTime::new(&mut self.board, &self.energy);
            self.proposals.hot = self.board.ends_of_busy(1.0 - exact::ROUNDING);
            self.proposals.hot.extend(exact.waiting());
            let tries = TRIES * self.proposals.hot.len();
            gained = (0..tries).any(|_| self.board.work < end && self.gain(&exact));
        }
        self.energy.renew(&self.board, LATE_EXPONENT);
    }

    /// Tries one move of a rank whose messages take longest; whether the move was taken.
    fn gain(&mut self, exact: &ExactTime) -> bool {
        self.board.work += 1;
        if !self
            .proposals
            .draw_hot(&self.board, &self.seats, &mut self.exchanges)
        {
            return false;
        }
        self.proposed += 1;
        self.open();
        let after = self.energy.after(&self.board);
        let time = exact.after(&mut self.board, &self.energy, &self.relocations, after);
        let gains = exact.is_better(time, (after.energy, self.energy.now().energy));
        if gains {
            self.take(after);
        } else {
            self.take_back();
        }
        gains
    }
}

/// Mean of 1 / bandwidth over the network's channels.
fn mean_slowness(board: &LinkBoard<'_>) -> f64 {
    board.slowness.iter().sum::<f64>() / board.slowness.len().max(1) as f64
}

impl Schedule {
    /// The share of the schedule that is over: 0 at the start, 1 at the end.
    fn done(&self, work: u64, begun: Instant) -> f64 {
        match self.deadline {
            None => work as f64 / self.work.max(1) as f64,
            Some(end) => {
                let whole = end.saturating_duration_since(begun).as_secs_f64();
                begun.elapsed().as_secs_f64() / ((1.0 - LAST) * whole).max(1e-3)
            }
        }
    }

    /// Whether the deadline has passed.
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests;
