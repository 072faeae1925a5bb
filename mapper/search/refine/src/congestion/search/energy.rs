//! The sums over channels that a descent's aim is a function of, kept up to date channel by
//! channel.

use crate::links::LinkBoard;
use rankfold_problem::objective::{ChannelSums, DescentAim};

/// An aim, and the sums over all channels of a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Energy<'a> {
    aim: &'a dyn DescentAim,
    pub(super) sums: ChannelSums,
}

/// What one channel adds to the sums.
struct Channel {
    powers: f64,
    used: f64,
    congestion: f64,
    squares: f64,
}

impl<'a> Energy<'a> {
    /// `squarings` is log2 of the exponent p.
    pub(super) fn new(aim: &'a dyn DescentAim, board: &LinkBoard<'_>, squarings: u32) -> Self {
        let hop_bytes = board.hop_bytes as u128;
        let sums = ChannelSums {
            hop_bytes,
            start_hop_bytes: hop_bytes as f64,
            unit: 0.0,
            squarings,
            powers: 0.0,
            used: 0.0,
            congestion: 0.0,
            squares: 0.0,
        };
        let mut energy = Self { aim, sums };
        energy.renew(board, squarings);
        energy
    }

    /// Takes the sums anew, which rids them of rounding errors.
    pub(super) fn renew(&mut self, board: &LinkBoard<'_>, squarings: u32) {
        self.sums.unit = board.busiest().max(f64::MIN_POSITIVE);
        self.sums.squarings = squarings;
        self.count(board);
    }

    fn count(&mut self, board: &LinkBoard<'_>) {
        self.sums = ChannelSums {
            powers: 0.0,
            used: 0.0,
            congestion: 0.0,
            squares: 0.0,
            ..self.sums
        };
        for (&bytes, &slowness) in board.loads.iter().zip(&board.slowness) {
            let channel = self.channel(bytes, slowness);
            self.add(&channel, 1.0);
        }
    }

    /// The same on the same scale, all channels counted anew.
    #[cfg(test)]
    pub(super) fn recounted(mut self, board: &LinkBoard<'_>) -> Self {
        self.count(board);
        self
    }

    /// The energy after the open move of the board.
    pub(super) fn after(&self, board: &LinkBoard<'_>) -> Self {
        let mut next = *self;
        for &link in board.touched() {
            let link = link as usize;
            let (before, change) = (board.loads[link], board.change[link]);
            let slowness = board.slowness[link];
            next.add(&self.channel(before, slowness), -1.0);
            next.add(&self.channel(before + change, slowness), 1.0);
        }
        let hop_bytes = next.sums.hop_bytes;
        next.sums.hop_bytes = hop_bytes.wrapping_add_signed(board.hop_bytes_change);
        next
    }

    /// The number to be lowered.
    pub(super) fn value(&self) -> f64 {
        self.aim.energy(&self.sums)
    }

    /// The number by which the best placement is picked.
    pub(super) fn rating(&self, board: &LinkBoard<'_>) -> f64 {
        self.aim.rating(&self.sums, board.busiest())
    }

    fn channel(&self, bytes: i64, slowness: f64) -> Channel {
        let congestion = bytes as f64 * slowness;
        let mut powers = congestion / self.sums.unit;
        for _ in 0..self.sums.squarings {
            powers *= powers;
        }
        Channel {
            powers,
            used: f64::from(u8::from(bytes > 0)),
            congestion,
            squares: congestion * congestion,
        }
    }

    fn add(&mut self, channel: &Channel, sign: f64) {
        self.sums.powers += sign * channel.powers;
        self.sums.used += sign * channel.used;
        self.sums.congestion += sign * channel.congestion;
        self.sums.squares += sign * channel.squares;
    }
}
