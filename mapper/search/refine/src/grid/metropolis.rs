//! The moves of annealing in one window.
//!
//! A random rank is exchanged with the occupant of a seat next to one of its partners, or next to
//! the median of three partners, by Metropolis' rule. Moves aimed this way are accepted often
//! enough to matter at low temperatures, as in VPR's placer for circuits (Betz and Rose, FPL 1997),
//! which aims by distance.
//!
//! The rank's own saving must pass the rule before the saving of the exchange is computed. The rank
//! that makes room seldom saves much, so nearly all exchanges that are turned away at this point
//! would fail anyway, at twice the work.

use super::exchange::ball;
use super::local::{FREE, Local};
use super::window::Position;
use crate::amount::Amount;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// [`MEDIANS`] of [`MOVES`] moves aim at the median of three random partners of the rank, the
/// others at one partner. A rank's cheapest position is the median of all its partners, which three
/// of them estimate. Chosen by hand; no measurement of the numbers is recorded.
const MOVES: usize = 8;
const MEDIANS: usize = 6;

/// Draws several small random numbers from one 64-bit word, since drawing a word for each number
/// takes a good part of the time of a move.
///
/// The word is taken as a fraction of 2^64. The whole part of the fraction times the range is the
/// number drawn, and the rest is the fraction for the next draw (Brackett-Rozinsky and Lemire,
/// "Batched ranged random integer generation", 2024). No outcome is likelier than another by more
/// than the product of all ranges over 2^64.
struct Dice(u64);

impl Dice {
    #[inline]
    fn below(&mut self, range: usize) -> usize {
        let product = u128::from(self.0) * range as u128;
        self.0 = product as u64;
        (product >> 64) as usize
    }
}

/// Metropolis moves at one temperature.
pub(super) struct Metropolis<'a, A, const D: usize> {
    local: &'a mut Local<A, D>,
    random: Xoshiro256PlusPlus,
    /// The steps from a node to itself and to each node next to it.
    steps: Vec<Position<D>>,
    /// The temperature in bytes x hops.
    temperature: f64,
}

impl<'a, A: Amount, const D: usize> Metropolis<'a, A, D> {
    pub(super) fn new(local: &'a mut Local<A, D>, seed: u64, temperature: f64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            steps: ball(local.window.axes(), 1),
            temperature,
            local,
        }
    }

    /// Tries `moves_each` moves of each rank on average; returns the number of moves made.
    pub(super) fn run(&mut self, moves_each: f64) -> u64 {
        let ranks = self.local.ranks.len();
        if ranks < 1 {
            return 0;
        }
        let tries = (moves_each * ranks as f64).ceil() as u64;
        // How many of the first moves are made tells how the others are best computed.
        let first = tries.min(ranks as u64);
        let made = self.try_moves(first);
        self.local.watch_all_if_it_pays(made, first);
        made + self.try_moves(tries - first)
    }

    /// Returns the number of moves made.
    fn try_moves(&mut self, tries: u64) -> u64 {
        let ranks = self.local.ranks.len();
        (0..tries).map(|_| u64::from(self.try_move(ranks))).sum()
    }

    fn try_move(&mut self, ranks: usize) -> bool {
        let mut dice = Dice(self.random.next_u64());
        let rank = dice.below(ranks);
        let Some(seat) = self.draw_seat(rank, dice) else {
            return false;
        };
        let other = self.local.occupant[seat as usize];
        if other as usize == rank {
            return false;
        }
        // The random number of Metropolis' rule is drawn first, so that most bad moves are dropped
        // half-way.
        let least = self.temperature * self.random.random::<f64>().ln();
        let enough = |gain: A| gain.widened() as f64 >= least;
        let place = *self.local.place(seat);
        let own = self.local.cost(rank) - self.local.known_cost_at(rank, &place);
        let accepted = enough(own)
            && (other == FREE || enough(own + self.local.gain_of_return(rank, other as usize)));
        if accepted {
            self.local.exchange(rank, seat);
        }
        accepted
    }

    /// A random seat on or next to the node that the move aims at.
    fn draw_seat(&mut self, rank: usize, mut dice: Dice) -> Option<u32> {
        let edges = self.local.edges(rank);
        if edges.is_empty() {
            return None;
        }
        let mut partners = Dice(self.random.next_u64());
        let mut partner = || {
            let edge = edges.start + partners.below(edges.len());
            *self.local.position(self.local.end_of(edge))
        };
        let centre = if dice.below(MOVES) < MEDIANS {
            let ends = [partner(), partner(), partner()];
            self.median(ends)
        } else {
            partner()
        };
        let steps = self.steps[dice.below(self.steps.len())];
        let position = self.moved(centre, |axis| steps[axis]);
        let seats = self.local.seats(self.local.window.cell(&position)?);
        (!seats.is_empty()).then(|| seats.start + dice.below(seats.len()) as u32)
    }

    /// The median of three positions along each axis; on a ring, as seen from the first position.
    #[inline]
    fn median(&self, [a, b, c]: [Position<D>; 3]) -> Position<D> {
        let ring = self.local.ring;
        let away = |axis: usize, at: Position<D>| {
            let away = at[axis] - a[axis];
            if 2 * away.abs() > ring[axis] {
                away - away.signum() * ring[axis]
            } else {
                away
            }
        };
        self.moved(a, |axis| {
            let (b, c) = (away(axis, b), away(axis, c));
            b.max(c).min(b.min(c).max(0))
        })
    }

    /// The position after steps along every axis, at most once around each ring.
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn dice_show_every_pair_of_numbers_alike() {
        let mut seen = [[0; 5]; 3];
        let words = 1 << 16;
        for word in 0..words {
            let mut dice = Dice(word << 48 | 1 << 47);
            let first = dice.below(3);
            seen[first][dice.below(5)] += 1;
        }
        let mean = words / 15;
        let even = |&n: &u64| n.abs_diff(mean) <= 2;
        assert!(seen.as_flattened().iter().all(even), "{seen:?}");
    }
}
