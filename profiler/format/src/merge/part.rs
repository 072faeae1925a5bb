//! What is summed for each phase, and for the whole run.

use super::calls::Calls;
use crate::key::Key;
use crate::ledger::{Sums, Tally, add};
use std::collections::BTreeMap;

/// Fetched bytes and messages, by the rank they came from and the rank that fetched them.
pub(super) type Fetched = BTreeMap<(u32, u32), Sums>;

#[derive(Default)]
pub(super) struct Part {
    pub(super) fetched: Fetched,
    /// Whether any rank sent something in a collective that is an exchange.
    pub(super) exchanging: bool,
    pub(super) calls: Calls,
}

impl Part {
    /// Adds what `rank` of a world of `ranks` counted, but for the rows of its matrices and its calls.
    pub(super) fn add(&mut self, rank: u32, tally: &Tally, exchanging: bool, ranks: usize) {
        self.exchanging |= exchanging;
        for (key, bytes, messages) in tally.iter() {
            if let Key::Fetched(source) = key
                && (source.max(rank) as usize) < ranks
            {
                add(
                    self.fetched.entry((source, rank)).or_default(),
                    bytes,
                    messages,
                );
            }
        }
    }
}
