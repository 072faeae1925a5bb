//! What is summed for each phase, and for the whole run.

use super::calls::Calls;
use crate::burst::Bursts;
use crate::key::Key;
use crate::ledger::Tally;

#[derive(Default)]
pub(super) struct PhaseSums {
    /// Whether any rank sent something in a collective that is an exchange.
    pub(super) exchanging: bool,
    pub(super) calls: Calls,
    /// By rank, up to the last that has told any.
    bursts: Vec<Bursts>,
}

impl PhaseSums {
    /// Adds what `rank` of a world of `ranks` counted, but for the rows of its matrices and its
    /// calls.
    pub(super) fn add(&mut self, rank: u32, tally: &Tally, exchanging: bool, ranks: usize) {
        self.exchanging |= exchanging;
        for (key, bytes, messages) in tally.iter() {
            if let Key::Burst(size) = key
                && (rank as usize) < ranks
            {
                let told = self.bursts.len().max(rank as usize + 1);
                self.bursts.resize(told, Bursts::default());
                self.bursts[rank as usize].add(size, bytes, messages);
            }
        }
    }

    /// The bursts of all `ranks`, or none at all; from now on there are none.
    pub(super) fn take_bursts(&mut self, ranks: usize) -> Vec<Bursts> {
        let mut bursts = std::mem::take(&mut self.bursts);
        if !bursts.is_empty() {
            bursts.resize(ranks, Bursts::default());
        }
        bursts
    }
}
