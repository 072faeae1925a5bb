//! What the descent lowers: a smooth stand-in for the highest congestion, or the hybrid metric.

use crate::objective::Aim;
use crate::refine::links::LinkBoard;

/// Energy of all hop-bytes of the start; one channel at the highest congestion has energy 1.
const HOP_BYTES: f64 = 4.0;

/// A sum of powers below this is a rounding error of 0, whose root would be far from 0.
const ROUNDING: f64 = 1e-12;

/// Sums over all channels, and the scale they are taken on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Energy {
    aim: Aim,
    /// The highest congestion when the sums were last taken anew, and the exponent.
    highest: f64,
    squarings: u32,
    /// Hop-bytes at the very start.
    start: f64,
    /// Hop-bytes now: bytes added up over all channels.
    pub(super) hop_bytes: u128,
    sums: Sums,
}

/// Sums over channels of congestion to several powers.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Of (congestion / highest) to the power p.
    powers: f64,
    used: f64,
    plain: f64,
    squares: f64,
}

impl Energy {
    /// `squarings` is log2 of the exponent p.
    pub(super) fn new(aim: Aim, board: &LinkBoard<'_>, squarings: u32) -> Self {
        let hop_bytes = board.bytes.iter().map(|&bytes| bytes as u128).sum();
        let mut energy = Self {
            aim,
            highest: 0.0,
            squarings,
            start: hop_bytes as f64,
            hop_bytes,
            sums: Sums::default(),
        };
        energy.renew(board, squarings);
        energy
    }

    fn count(&mut self, board: &LinkBoard<'_>) {
        self.sums = Sums::default();
        for (&bytes, &slowness) in board.bytes.iter().zip(&board.slowness) {
            let channel = self.of(bytes, slowness);
            self.sums.change(&channel, 1.0);
        }
    }

    /// The same on the same scale, all channels counted anew.
    #[cfg(test)]
    pub(super) fn recounted(mut self, board: &LinkBoard<'_>) -> Self {
        self.count(board);
        self
    }

    /// Takes the sums anew, which rids them of rounding errors.
    pub(super) fn renew(&mut self, board: &LinkBoard<'_>, squarings: u32) {
        self.highest = board.busiest().max(f64::MIN_POSITIVE);
        self.squarings = squarings;
        self.count(board);
    }

    /// The energy after the open move of the board.
    pub(super) fn after(&self, board: &LinkBoard<'_>) -> Self {
        let mut next = *self;
        let mut hop_bytes = 0;
        for &link in board.touched() {
            let link = link as usize;
            let (before, change) = (board.bytes[link], board.change[link]);
            let slowness = board.slowness[link];
            next.sums.change(&self.of(before, slowness), -1.0);
            next.sums.change(&self.of(before + change, slowness), 1.0);
            hop_bytes += i128::from(change);
        }
        next.hop_bytes = next.hop_bytes.wrapping_add_signed(hop_bytes);
        next
    }

    /// The number to be lowered; one channel at the highest congestion adds 1 to it when congestion
    /// is the aim.
    pub(super) fn value(&self) -> f64 {
        let hop_bytes = self.hop_bytes as f64;
        match self.aim {
            Aim::Congestion => self.sums.powers + HOP_BYTES * hop_bytes / self.start,
            Aim::Hybrid { heaviest } => {
                let exponent = f64::from(1 << self.squarings);
                let powers = Some(self.sums.powers).filter(|&powers| powers > ROUNDING);
                let highest = self.highest * powers.unwrap_or(0.0).powf(1.0 / exponent);
                let used = self.sums.used.max(1.0);
                let mean = self.sums.plain / used;
                let variance = self.sums.squares / used - mean * mean;
                let sum = (hop_bytes + highest + mean) / heaviest + variance / heaviest / heaviest;
                100.0 * sum / (self.start / heaviest)
            }
        }
    }

    fn of(&self, bytes: i64, slowness: f64) -> Sums {
        let congestion = bytes as f64 * slowness;
        let mut powers = congestion / self.highest;
        for _ in 0..self.squarings {
            powers *= powers;
        }
        Sums {
            powers,
            used: f64::from(u8::from(bytes > 0)),
            plain: congestion,
            squares: congestion * congestion,
        }
    }
}

impl Sums {
    fn change(&mut self, by: &Self, sign: f64) {
        self.powers += sign * by.powers;
        self.used += sign * by.used;
        self.plain += sign * by.plain;
        self.squares += sign * by.squares;
    }
}
