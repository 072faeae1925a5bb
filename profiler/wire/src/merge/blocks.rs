//! The blocks of the members in collectives whose members have blocks of different sizes.

use super::calls::CallKey;
use crate::collective::Operation;
use crate::communicator::Communicator;
use crate::form::Form;
use crate::key::Key;
use crate::ledger::Tally;
use std::collections::BTreeMap;

/// Maximum number of blocks of one phase. A run with more has none in its profile, so that rank 0
/// needs bounded memory. One section of the file can hold as many. Chosen by hand: the blocks of
/// four rows in a world of a million ranks.
const MOST: usize = 1 << 22;

/// Communicator, operation, form and size class of a call.
type RowKey = (u64, Operation, Form, u8);

/// Uneven blocks: the world rank of each member that counted a block, in ascending order, with the
/// bytes.
#[derive(Default)]
pub(super) struct UnevenBlocks {
    rows: BTreeMap<RowKey, Vec<(u32, u64)>>,
    /// Number of blocks in all rows.
    number: usize,
}

impl UnevenBlocks {
    /// Adds the blocks that the next rank counted. `hashes` are those of its communicators.
    pub(super) fn add(&mut self, rank: u32, tally: &Tally, hashes: &[u64]) {
        for (key, bytes, _) in tally.iter() {
            let Key::Block {
                comm,
                op,
                class,
                form,
            } = key
            else {
                continue;
            };
            let Some(&hash) = hashes.get(comm as usize) else {
                continue;
            };
            if self.number > MOST {
                self.rows.clear();
                continue;
            }
            let row = self.rows.entry((hash, op, form, class)).or_default();
            match row.last_mut() {
                // The rank counts communicators with the same members apart, and phases too.
                Some((last, sum)) if *last == rank => *sum = sum.saturating_add(bytes),
                _ => {
                    row.push((rank, bytes));
                    self.number += 1;
                }
            }
        }
    }

    /// The block of each of the members. Without blocks, or if a member counted none, `None`.
    pub(super) fn of(
        &self,
        (hash, op, _, form, class): CallKey,
        members: &Communicator,
    ) -> Option<Vec<u64>> {
        let row = self.rows.get(&(hash, op, form, class))?;
        let block = |member: Option<u32>| {
            let place = row.binary_search_by_key(&member?, |&(rank, _)| rank).ok()?;
            Some(row[place].1)
        };
        members.members.iter().map(block).collect()
    }
}
