//! The energy that annealing lowers: a smooth stand-in for the predicted time.
//!
//! ```text
//! E = max(overhead, (sum over links of (bytes / bandwidth)^p)^(1/p))
//!   + (sum over pairs of wait^16)^(1/16)       where links have latencies
//!   + s x mean transfer of a rank
//! ```
//!
//! The p-norm is close to the time of the busiest link and, unlike that time, changes with every
//! exchange that unloads a busy link. Measured when the anneal was written: the norm with p = 4 is
//! far enough from the maximum to ruin placements; norms with p = 8 and more are not.

use crate::links::LinkBoard;

/// The least share of the mean transfer in the energy: of placements with equally busy links, the
/// one with less traffic is better for any program.
pub(super) const LEAST_SHARE: f64 = 0.02;

/// log2 of the exponent of the norm over the waits of pairs.
const WAITS: u32 = 4;

/// The energy of a board, kept up to date link by link.
pub(super) struct Energy {
    /// log2 of the exponent p. Powers by squaring and roots by square roots give the same bits on
    /// every machine.
    squarings: u32,
    /// What a byte of transfer adds to the energy: the share of the mean transfer, at least
    /// [`LEAST_SHARE`], over the number of ranks.
    weight: f64,
    /// What a byte of transfer adds to the predicted time: the share over the number of ranks.
    asked: f64,
    /// A busiest link below this time makes no difference.
    overhead: f64,
    /// Time on the busiest link when all links were last counted anew.
    busiest: f64,
    /// The unit of link times in `powers`: `busiest`, or 1 where no link was loaded.
    unit: f64,
    /// The unit of waits: the longest wait of a pair when all waits were last counted anew, or 1.
    wait_unit: f64,
    /// 1 / (bandwidth x `unit`) of every link.
    relative: Vec<f64>,
    /// (bytes x relative)^p of every link.
    powers: Vec<f64>,
    /// The powers after the open move of the links it touches, in the order of
    /// [`LinkBoard::touched`].
    fresh: Vec<f64>,
    sums: Sums,
}

/// Sums over all links, and the energy they make.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    powers: f64,
    /// (wait / `wait_unit`)^p of all pairs.
    waits: f64,
    transfer: f64,
    pub(super) energy: f64,
}

impl Energy {
    /// The energy of a board, where `share` is s.
    pub(super) fn new(
        board: &mut LinkBoard<'_>,
        (share, overhead): (f64, f64),
        squarings: u32,
    ) -> Self {
        let ranks = board.ranks() as f64;
        let mut energy = Self {
            squarings,
            weight: share.max(LEAST_SHARE) / ranks,
            asked: share / ranks,
            overhead,
            busiest: 0.0,
            unit: 1.0,
            wait_unit: 1.0,
            relative: Vec::new(),
            powers: Vec::new(),
            fresh: vec![0.0; board.loads.len()],
            sums: Sums::default(),
        };
        energy.renew(board, squarings);
        energy.renew_waits(board);
        energy
    }

    /// Counts the waits of all pairs anew, and returns the longest.
    pub(super) fn renew_waits(&mut self, board: &mut LinkBoard<'_>) -> f64 {
        let pairs = board.all_waits();
        board.waits.sum = pairs.iter().map(|pair| pair.0).sum();
        let longest = pairs.iter().map(|pair| pair.0).fold(0.0, f64::max);
        self.wait_unit = positive_or_one(longest);
        let powers = pairs
            .iter()
            .map(|pair| power(pair.0 / self.wait_unit, WAITS));
        self.sums = self.sums_of(self.sums.powers, powers.sum(), board.transfer());
        longest
    }

    /// Counts all links anew, which rids the sums of rounding errors.
    pub(super) fn renew(&mut self, board: &LinkBoard<'_>, squarings: u32) {
        self.squarings = squarings;
        self.busiest = board.busiest();
        self.unit = positive_or_one(self.busiest);
        self.relative.clear();
        self.relative
            .extend(board.slowness.iter().map(|slowness| slowness / self.unit));
        self.powers.clear();
        let links = board.loads.iter().zip(&self.relative);
        self.powers
            .extend(links.map(|(&bytes, relative)| power(bytes as f64 * relative, squarings)));
        self.sums = self.sums_of(self.powers.iter().sum(), self.sums.waits, board.transfer());
    }

    /// The sums before the open move.
    pub(super) fn now(&self) -> Sums {
        self.sums
    }

    /// The part s x mean transfer of the predicted time.
    pub(super) fn share(&self, sums: Sums) -> f64 {
        self.asked * sums.transfer
    }

    /// The predicted time without the longest wait, as of the last count of all links.
    pub(super) fn time(&self) -> f64 {
        self.or_overhead(self.busiest) + self.share(self.sums)
    }

    /// The longer of the busiest link's time and the overhead: the longer hides the shorter.
    pub(super) fn or_overhead(&self, busiest: f64) -> f64 {
        busiest.max(self.overhead)
    }

    /// Sums after the open move.
    #[inline]
    pub(super) fn after(&mut self, board: &LinkBoard<'_>) -> Sums {
        let Sums {
            mut powers,
            mut waits,
            mut transfer,
            ..
        } = self.sums;
        for (&link, fresh) in board.touched().iter().zip(&mut self.fresh) {
            let link = link as usize;
            let change = board.change[link];
            let bytes = (board.loads[link] + change) as f64;
            *fresh = power(bytes * self.relative[link], self.squarings);
            powers += *fresh - self.powers[link];
            transfer += change as f64 * board.charge[link];
        }
        for wait in &board.waits.changes {
            waits += power(wait.abs() / self.wait_unit, WAITS).copysign(*wait);
        }
        self.sums_of(powers, waits, transfer + board.transfer_besides_links())
    }

    /// Takes over the sums of the open move, which [`after`](Self::after) returned.
    pub(super) fn keep(&mut self, board: &LinkBoard<'_>, after: Sums) {
        for (&link, fresh) in board.touched().iter().zip(&self.fresh) {
            self.powers[link as usize] = *fresh;
        }
        self.sums = after;
    }

    #[inline]
    fn sums_of(&self, powers: f64, waits: f64, transfer: f64) -> Sums {
        let busiest = self.or_overhead(self.unit * root(powers, self.squarings));
        let longest = self.wait_unit * root(waits, WAITS);
        Sums {
            powers,
            waits,
            transfer,
            energy: busiest + longest + self.weight * transfer,
        }
    }
}

fn positive_or_one(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

/// x^(1 / 2^squarings), 0 for what rounding made negative.
#[inline]
fn root(x: f64, squarings: u32) -> f64 {
    let mut x = x.max(0.0);
    for _ in 0..squarings {
        x = x.sqrt();
    }
    x
}

/// x^(2^squarings).
#[inline]
fn power(mut x: f64, squarings: u32) -> f64 {
    for _ in 0..squarings {
        x *= x;
    }
    x
}
