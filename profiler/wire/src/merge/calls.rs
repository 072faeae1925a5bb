//! Calls of collectives. Calls of one rank are added up; the calls of all members of a communicator
//! are the same calls, and count once.

use super::index::Index;
use crate::collective::{Collective, Operation};
use crate::form::Form;
use crate::key::Key;
use crate::ledger::{Sums, Tally, add};
use std::collections::BTreeMap;

/// Sums of bytes and calls by communicator, operation, root, form and size class.
pub(super) type Calls = BTreeMap<CallKey, Sums>;

/// Adds up the calls of one rank. Calls on different communicators with the same members are added,
/// and so are calls in different phases.
pub(super) fn sum(calls: &mut Calls, tally: &Tally, hashes: &[u64]) {
    for (key, bytes, number) in tally.iter() {
        if let Key::Collective {
            comm,
            op,
            root,
            class,
            form,
        } = key
            && let Some(&hash) = hashes.get(comm as usize)
        {
            add(
                calls.entry((hash, op, root, form, class)).or_default(),
                bytes,
                number,
            );
        }
    }
}

/// Merges the calls of one member into those of all. All members count the same calls, up to the
/// point where a member died. In an exchange every member counts blocks of its own, which are
/// added.
pub(super) fn merge(all: &mut Calls, one: &Calls) {
    for (&key, &(bytes, calls)) in one {
        let sums = all.entry(key).or_default();
        let (_, op, ..) = key;
        sums.0 = if op.is_exchange() {
            sums.0.saturating_add(bytes)
        } else {
            sums.0.max(bytes)
        };
        sums.1 = sums.1.max(calls);
    }
}

/// The key of a row of [`Calls`].
pub(super) type CallKey = (u64, Operation, Option<u32>, Form, u8);

/// The calls as rows of the profile, each with its key. Calls on communicators whose members are
/// unknown are left out.
pub(super) fn collectives(calls: &Calls, index: &Index) -> Vec<(Collective, CallKey)> {
    let row = |(&key, &(bytes, calls)): (&CallKey, &Sums)| {
        let (hash, op, root, form, _) = key;
        let &(comm, size) = index.get(&hash)?;
        let row = Collective {
            comm,
            op,
            root,
            bytes,
            calls,
            form,
        };
        root.is_none_or(|root: u32| (root as usize) < size)
            .then_some((row, key))
    };
    let mut collectives: Vec<_> = calls.iter().filter_map(row).collect();
    // The sort is stable, so rows that differ in size only stay in the order of their sizes.
    collectives.sort_by_key(|(row, _)| (row.comm, row.op, row.root, row.form));
    collectives
}
