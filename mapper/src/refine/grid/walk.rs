//! The moves of annealing in one window.
//!
//! A random rank takes the seat of somebody next to one of its partners, or next to the median of three, by
//! Metropolis' rule. Moves aimed this way are accepted often enough to matter at low temperatures, as in VPR's
//! placer for circuits (Betz and Rose, FPL 1997), which aims by distance.

use super::exchange::ball;
use super::local::{FREE, Local};
use super::window::Position;
use crate::refine::seating::Amount;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;

/// How many of eight moves aim at the median of three partners: where a rank sits best, give or take a step.
const MEDIANS: u32 = 6;

/// A walk at one temperature.
pub(super) struct Walk<'a, A, const D: usize> {
    local: &'a mut Local<A, D>,
    random: Xoshiro256PlusPlus,
    /// From the place aimed at to those worth taking.
    steps: Vec<Position<D>>,
    /// In bytes times hops.
    temperature: f64,
}

impl<'a, A: Amount, const D: usize> Walk<'a, A, D> {
    pub(super) fn new(local: &'a mut Local<A, D>, seed: u64, temperature: f64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            steps: ball(local.window.axes(), 1),
            temperature,
            local,
        }
    }

    /// Tries so many moves of each rank on average, and says how many were made.
    pub(super) fn run(&mut self, moves_each: f64) -> u64 {
        let ranks = self.local.ranks.len();
        if ranks < 1 {
            return 0;
        }
        let tries = (moves_each * ranks as f64).ceil() as u64;
        (0..tries).map(|_| u64::from(self.try_move(ranks))).sum()
    }

    fn try_move(&mut self, ranks: usize) -> bool {
        let rank = self.random.random_range(0..ranks);
        let Some(seat) = self.draw_seat(rank) else {
            return false;
        };
        let other = self.local.occupant[seat as usize];
        if other as usize == rank {
            return false;
        }
        // Metropolis' rule, its random number drawn first: most moves then turn out too bad half-way.
        let least = self.temperature * self.random.random::<f64>().ln();
        let enough = |gain: A| gain.widened() as f64 >= least;
        let place = *self.local.place(seat);
        let own = self.local.cost(rank) - self.local.cost_at(rank, &place);
        let accepted = match other {
            FREE => enough(own),
            other => {
                let other = other as usize;
                // At best the other one's cost is all saved.
                enough(own + self.local.cost(other))
                    && enough(own + self.local.gain_of_return(rank, other))
            }
        };
        if accepted {
            self.local.exchange(rank, seat);
        }
        accepted
    }

    /// A seat on or next to the node aimed at.
    fn draw_seat(&mut self, rank: usize) -> Option<u32> {
        let edges = self.local.edges(rank);
        if edges.is_empty() {
            return None;
        }
        let centre = match self.random.random_range(0..8) < MEDIANS {
            true => self.median_of_three(&edges),
            false => self.partner(&edges),
        };
        let steps = self.steps[self.random.random_range(0..self.steps.len())];
        let position = self.moved(centre, |axis| steps[axis]);
        let seats = self.local.seats(self.local.window.cell(&position)?);
        (!seats.is_empty()).then(|| self.random.random_range(seats))
    }

    /// Where a random partner sits.
    fn partner(&mut self, edges: &Range<usize>) -> Position<D> {
        let edge = self.random.random_range(edges.clone());
        *self.local.position(self.local.end_of(edge))
    }

    /// The median of three random partners' places along each axis; on a ring, as seen from the first.
    fn median_of_three(&mut self, edges: &Range<usize>) -> Position<D> {
        let [a, b, c] = [(); 3].map(|()| self.partner(edges));
        let ring = self.local.ring;
        let away = |axis: usize, at: Position<D>| {
            let away = at[axis] - a[axis];
            match 2 * away.abs() > ring[axis] {
                true => away - away.signum() * ring[axis],
                false => away,
            }
        };
        self.moved(a, |axis| {
            let (b, c) = (away(axis, b), away(axis, c));
            b.max(c).min(b.min(c).max(0))
        })
    }

    /// A position after steps along every axis, at most once around each ring.
    fn moved(&self, from: Position<D>, steps: impl Fn(usize) -> i32) -> Position<D> {
        std::array::from_fn(|axis| {
            let (at, ring) = (from[axis] + steps(axis), self.local.ring[axis]);
            if at < 0 {
                at.wrapping_add(ring)
            } else if at >= ring {
                at - ring
            } else {
                at
            }
        })
    }
}
