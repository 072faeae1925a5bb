//! What annealing lowers: a smooth stand-in for the predicted time.
//!
//! `E = (sum over links of (bytes / bandwidth)^p)^(1/p) + s x mean transfer a rank`. The p-norm is near the busiest
//! link's time and, other than that, feels every exchange that unloads a busy link. With p = 4 it is far enough from
//! the maximum to ruin placements; 8 and more do not.

use super::board::Board;

/// The least share of the mean transfer: of placements with equally busy links the one with less traffic is better,
/// whatever the program.
pub(super) const LEAST_SHARE: f64 = 0.02;

/// The energy of a board, kept up to date link by link.
pub(super) struct Energy {
    /// log2 of the exponent p: powers and roots by squaring and square roots are the same on every machine.
    squarings: u32,
    /// Share of the mean transfer, over the ranks.
    weight: f64,
    /// The share as asked for, over the ranks.
    asked: f64,
    /// Time on the busiest link when all was last counted anew.
    busiest: f64,
    /// What links are measured by: that time, or 1 where no link was loaded.
    unit: f64,
    /// 1 / (bandwidth x `unit`) of every link.
    relative: Vec<f64>,
    /// (bytes x relative)^p of every link.
    powers: Vec<f64>,
    /// The same of the links the open move touches, in the order of [`Board::touched`].
    fresh: Vec<f64>,
    sums: Sums,
}

/// Sums over all links, and the energy they make.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    powers: f64,
    transfer: f64,
    pub(super) energy: f64,
}

impl Energy {
    /// `share` is s.
    pub(super) fn new(board: &Board<'_>, share: f64, squarings: u32) -> Self {
        let ranks = board.ranks() as f64;
        let mut energy = Self {
            squarings,
            weight: share.max(LEAST_SHARE) / ranks,
            asked: share / ranks,
            busiest: 0.0,
            unit: 1.0,
            relative: Vec::new(),
            powers: Vec::new(),
            fresh: vec![0.0; board.bytes.len()],
            sums: Sums::default(),
        };
        energy.renew(board, squarings);
        energy
    }

    /// Counts all links anew, which rids the sums of rounding errors.
    pub(super) fn renew(&mut self, board: &Board<'_>, squarings: u32) {
        self.squarings = squarings;
        self.busiest = board.busiest();
        self.unit = if self.busiest > 0.0 {
            self.busiest
        } else {
            1.0
        };
        self.relative.clear();
        self.relative
            .extend(board.slowness.iter().map(|slowness| slowness / self.unit));
        self.powers.clear();
        let links = board.bytes.iter().zip(&self.relative);
        self.powers
            .extend(links.map(|(&bytes, relative)| power(bytes as f64 * relative, squarings)));
        self.sums = self.sums_of(self.powers.iter().sum(), board.transfer());
    }

    /// The energy as it is.
    pub(super) fn now(&self) -> f64 {
        self.sums.energy
    }

    /// Busiest link + s x mean transfer when all was last counted anew: what of the predicted time moves change
    /// most.
    pub(super) fn time(&self) -> f64 {
        self.busiest + self.asked * self.sums.transfer
    }

    /// Sums after the open move.
    #[inline]
    pub(super) fn after(&mut self, board: &Board<'_>) -> Sums {
        let Sums {
            mut powers,
            mut transfer,
            ..
        } = self.sums;
        for (&link, fresh) in board.touched().iter().zip(&mut self.fresh) {
            let link = link as usize;
            let change = board.change[link];
            let bytes = (board.bytes[link] + change) as f64;
            *fresh = power(bytes * self.relative[link], self.squarings);
            powers += *fresh - self.powers[link];
            transfer += change as f64 * board.slowness[link];
        }
        self.sums_of(powers, transfer + board.waits_change())
    }

    /// Takes over what [`after`](Self::after) found of the open move.
    pub(super) fn keep(&mut self, board: &Board<'_>, after: Sums) {
        for (&link, fresh) in board.touched().iter().zip(&self.fresh) {
            self.powers[link as usize] = *fresh;
        }
        self.sums = after;
    }

    #[inline]
    fn sums_of(&self, powers: f64, transfer: f64) -> Sums {
        let mut root = powers.max(0.0);
        for _ in 0..self.squarings {
            root = root.sqrt();
        }
        Sums {
            powers,
            transfer,
            energy: self.unit * root + self.weight * transfer,
        }
    }
}

/// x^(2^squarings).
#[inline]
fn power(mut x: f64, squarings: u32) -> f64 {
    for _ in 0..squarings {
        x *= x;
    }
    x
}
