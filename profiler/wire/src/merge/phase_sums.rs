//! The sums that are kept for each phase and for the whole run.

use super::blocks::UnevenBlocks;
use super::calls::Calls;
use crate::burst::Bursts;
use crate::key::Key;
use crate::ledger::Tally;

#[derive(Default)]
pub(super) struct PhaseSums {
    /// Whether any rank sent blocks in an exchange.
    pub(super) exchanging: bool,
    pub(super) calls: Calls,
    pub(super) blocks: UnevenBlocks,
    /// The bursts by rank, up to the last rank that recorded any.
    bursts: Vec<Bursts>,
}

impl PhaseSums {
    /// Adds the counters of `rank` in a world of `ranks` ranks, except for rows of matrices and
    /// calls of collectives.
    pub(super) fn add(&mut self, rank: u32, tally: &Tally, exchanging: bool, ranks: usize) {
        self.exchanging |= exchanging;
        for (key, bytes, messages) in tally.iter() {
            if let Key::Burst(size) = key
                && (rank as usize) < ranks
            {
                let length = self.bursts.len().max(rank as usize + 1);
                self.bursts.resize(length, Bursts::default());
                self.bursts[rank as usize].add(size, bytes, messages);
            }
        }
    }

    /// Takes the bursts of all `ranks` ranks out of the sums; empty if no rank recorded any.
    pub(super) fn take_bursts(&mut self, ranks: usize) -> Vec<Bursts> {
        let mut bursts = std::mem::take(&mut self.bursts);
        if !bursts.is_empty() {
            bursts.resize(ranks, Bursts::default());
        }
        bursts
    }
}
