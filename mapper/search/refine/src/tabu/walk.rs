//! The walk from placement to placement, and the kicks between walks.

use super::board::{Board, Move};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

/// A walk ends after this many steps for each rank without a better placement. Measured with a
/// prototype (11 cases of 30 to 150 ranks, 0.7 CPU seconds, 3 seeds): with kicks of 0.3, 20 and 50
/// are alike; 100 with kicks of 0.5 is 0.1 % better in the mean.
const PATIENCE: u64 = 100;

/// A kick moves half to one and a half times this share of all ranks. Measured with [`PATIENCE`];
/// 0.15 is 0.1 % worse in the mean than 0.3, both with a patience of 20.
const KICK: f64 = 0.5;

/// A rank may not return to a node for about this many steps for each rank, as Taillard proposes:
/// between 0.9 and 1.1.
const TENURE: (f64, f64) = (0.9, 0.2);

/// The deadline is asked for every so many steps.
const STEPS_PER_LOOK_AT_THE_CLOCK: u64 = 64;

/// Look-ups count this many updates of the table as one: these are vector instructions.
const UPDATES_A_LOOK_UP: u64 = 4;

/// What a search found.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Found {
    /// The node of every rank, numbered as on the board.
    pub(super) seats: Vec<u32>,
    /// Its cost, in units of the weights.
    pub(super) cost: i64,
    /// The number of moves carried out.
    pub(super) steps: u64,
    /// The number of kicks.
    pub(super) kicks: u32,
}

/// An iterated tabu search.
pub(super) struct Iterated<'a> {
    board: Board<'a>,
    random: Xoshiro256PlusPlus,
    /// The look-ups that are left.
    look_ups: u64,
    deadline: Option<Instant>,
    /// The step until which each rank may not go to each node; a row for each rank.
    forbidden: Vec<u64>,
    steps: u64,
}

impl<'a> Iterated<'a> {
    /// A search of `look_ups`; with a deadline, until then.
    pub(super) fn new(
        board: Board<'a>,
        random: Xoshiro256PlusPlus,
        look_ups: u64,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            forbidden: vec![0; board.tables.ranks() * board.tables.node_count()],
            board,
            random,
            look_ups,
            deadline,
            steps: 0,
        }
    }

    pub(super) fn run(mut self) -> Found {
        let mut best = (self.board.cost(), self.board.seats.clone());
        let mut kicks = 0;
        loop {
            let found = self.walk();
            if found.0 < best.0 {
                best = found;
            }
            if self.is_over() {
                break;
            }
            self.board.seat_as(&best.1);
            self.kick();
            kicks += 1;
        }
        Found {
            cost: best.0,
            seats: best.1,
            steps: self.steps,
            kicks,
        }
    }

    fn is_over(&self) -> bool {
        match self.deadline {
            Some(deadline) => Instant::now() >= deadline,
            None => self.look_ups == 0,
        }
    }

    /// Walks until nothing better turns up; returns the best placement on the way, with its cost.
    fn walk(&mut self) -> (i64, Vec<u32>) {
        let mut cost = self.board.cost();
        let (mut least, mut seats) = (cost, self.board.seats.clone());
        let patience = PATIENCE * self.board.tables.ranks() as u64;
        let mut until = self.steps + patience;
        while self.steps < until {
            self.steps += 1;
            // A step without an allowed move costs look-ups, too.
            let looked_at = self.board.moves().max(1);
            let updated = match self.allowed_move(cost, least) {
                None => 0,
                Some((chosen, change)) => {
                    cost += change;
                    self.forbid(chosen);
                    self.board.carry_out(chosen)
                }
            };
            if cost < least {
                (least, until) = (cost, self.steps + patience);
                seats.copy_from_slice(&self.board.seats);
            }
            let work = looked_at + updated / UPDATES_A_LOOK_UP;
            self.look_ups = self.look_ups.saturating_sub(work);
            let ask =
                self.deadline.is_none() || self.steps.is_multiple_of(STEPS_PER_LOOK_AT_THE_CLOCK);
            if ask && self.is_over() {
                break;
            }
        }
        (least, seats)
    }

    /// The cheapest move that is not forbidden, or that leads below `least`. An exchange is
    /// forbidden if both ranks may not go where it leads them.
    fn allowed_move(&self, cost: i64, least: i64) -> Option<(Move, i64)> {
        let nodes = self.board.tables.node_count();
        let free = |(rank, node): (usize, usize)| self.forbidden[rank * nodes + node] < self.steps;
        let stays = |(rank, _): (usize, usize)| self.board.stays(rank);
        self.board.cheapest(|change, there, back| {
            let allowed = free(there) || back.is_some_and(free) || cost + change < least;
            allowed && !stays(there) && !back.is_some_and(stays)
        })
    }

    /// Forbids the ranks of a move to come back to where they are now.
    fn forbid(&mut self, chosen: Move) {
        let ranks = self.board.tables.ranks() as f64;
        let nodes = self.board.tables.node_count();
        let (one, other) = match chosen {
            Move::Exchange(a, b) => (a, Some(b)),
            Move::Relocate(rank, _) => (rank, None),
        };
        for rank in std::iter::once(one).chain(other) {
            let tenure = ranks * (TENURE.0 + TENURE.1 * self.random.random::<f64>());
            let here = self.board.seats[rank] as usize;
            self.forbidden[rank * nodes + here] = self.steps + tenure as u64;
        }
    }

    /// Moves some ranks round in a circle, and forgets what was forbidden.
    fn kick(&mut self) {
        self.forbidden.fill(0);
        let mut circle = self.board.tables.movable.clone();
        let ranks = circle.len();
        if ranks == 0 {
            return;
        }
        let share = KICK * (0.5 + self.random.random::<f64>());
        let moved = ((ranks as f64 * share) as usize).clamp(3.min(ranks), ranks);
        circle.shuffle(&mut self.random);
        circle.truncate(moved);
        let mut seats = self.board.seats.clone();
        for (place, &rank) in circle.iter().enumerate() {
            seats[rank] = self.board.seats[circle[(place + 1) % moved]];
        }
        self.board.seat_as(&seats);
    }
}
