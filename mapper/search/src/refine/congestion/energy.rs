//! What the descent lowers: a smooth stand-in for the highest congestion, or the hybrid metric.

use super::loads::Loads;
use crate::objective::Aim;

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
    pub(super) fn new(aim: Aim, loads: &Loads<'_>, squarings: u32) -> Self {
        let mut energy = Self {
            aim,
            highest: loads.highest().max(f64::MIN_POSITIVE),
            squarings,
            start: loads.hop_bytes as f64,
            sums: Sums::default(),
        };
        energy.count(loads);
        energy
    }

    fn count(&mut self, loads: &Loads<'_>) {
        self.sums = Sums::default();
        for (&bytes, &slowness) in loads.bytes.iter().zip(&loads.slowness) {
            let channel = self.of(bytes, slowness);
            self.sums.change(&channel, 1.0);
        }
    }

    /// The same on the same scale, all channels counted anew.
    #[cfg(test)]
    pub(super) fn recounted(mut self, loads: &Loads<'_>) -> Self {
        self.count(loads);
        self
    }

    /// Takes the sums anew, which rids them of rounding errors.
    pub(super) fn renewed(&self, loads: &Loads<'_>, squarings: u32) -> Self {
        Self {
            start: self.start,
            ..Self::new(self.aim, loads, squarings)
        }
    }

    /// The energy after the open move of `loads`.
    pub(super) fn after(&self, loads: &Loads<'_>) -> Self {
        let mut next = *self;
        for &(channel, before) in loads.journal() {
            let slowness = loads.slowness[channel as usize];
            next.sums.change(&self.of(before, slowness), -1.0);
            next.sums
                .change(&self.of(loads.bytes[channel as usize], slowness), 1.0);
        }
        next
    }

    /// The number to be lowered; one channel at the highest congestion adds 1 to it when congestion
    /// is the aim.
    pub(super) fn value(&self, hop_bytes: u128) -> f64 {
        let hop_bytes = hop_bytes as f64;
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

    fn of(&self, bytes: u64, slowness: f64) -> Sums {
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
