//! The counters of one rank, and how those of all ranks become rows.

use crate::journal::layout::FETCHED;
use crate::profile::{Peer, Row};
use std::collections::BTreeMap;

/// Sums by the key of a journal's slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<u64, (u64, u64)>);

impl Tally {
    /// Key, bytes and messages, keys ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let sums = self.0.iter();
        sums.map(|(&key, &(bytes, messages))| (key, bytes, messages))
    }
}

/// From (key, bytes, messages); those of empty slots, with key 0, are left out.
impl FromIterator<(u64, u64, u64)> for Tally {
    fn from_iter<I: IntoIterator<Item = (u64, u64, u64)>>(slots: I) -> Self {
        let mut tally = Self::default();
        for (key, bytes, messages) in slots {
            if key != 0 {
                let sum = tally.0.entry(key).or_default();
                sum.0 = sum.0.saturating_add(bytes);
                sum.1 = sum.1.saturating_add(messages);
            }
        }
        tally
    }
}

/// The rows of a world from the tallies of its ranks, in rank order: what a rank fetched is moved to the row of the
/// rank it came from. Keys of an unknown kind and ranks beyond the world are left out.
pub fn rank_rows(tallies: impl ExactSizeIterator<Item = Tally>) -> Vec<Row> {
    let ranks = tallies.len() as u64;
    let mut rows = vec![BTreeMap::<u32, (u64, u64)>::new(); tallies.len()];
    for (rank, tally) in (0..).zip(tallies) {
        for (key, bytes, messages) in tally.iter() {
            let other = (key % FETCHED).wrapping_sub(1);
            if other >= ranks {
                continue;
            }
            let (source, receiver) = match key / FETCHED {
                0 => (rank, other),
                1 => (other, rank),
                _ => continue,
            };
            if let Some(row) = rows.get_mut(source as usize) {
                let sum = row.entry(receiver as u32).or_default();
                sum.0 = sum.0.saturating_add(bytes);
                sum.1 = sum.1.saturating_add(messages);
            }
        }
    }
    rows.into_iter().map(row).collect()
}

fn row(peers: BTreeMap<u32, (u64, u64)>) -> Row {
    let peer = |(rank, (bytes, messages))| Peer {
        rank,
        bytes,
        messages,
    };
    Row {
        peers: peers.into_iter().map(peer).collect(),
    }
}
