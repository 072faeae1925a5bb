//! Calls of collectives: those of one rank are added, those of all ranks are the same calls.

use super::index::Index;
use crate::collective::{Collective, Operation};
use crate::key::Key;
use crate::ledger::{Sums, Tally, add};
use std::collections::BTreeMap;

/// By communicator, operation, root and size class.
pub(super) type Calls = BTreeMap<(u64, Operation, Option<u32>, u8), Sums>;

/// One rank's calls: those on different communicators of the same members, or in different phases,
/// are added.
pub(super) fn sum(calls: &mut Calls, tally: &Tally, hashes: &[u64]) {
    for (key, bytes, number) in tally.iter() {
        if let Key::Collective {
            comm,
            op,
            root,
            class,
        } = key
            && let Some(&hash) = hashes.get(comm as usize)
        {
            add(
                calls.entry((hash, op, root, class)).or_default(),
                bytes,
                number,
            );
        }
    }
}

/// Every member counted the same calls, up to where it died. Blocks of their own are added.
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

/// As the profile has them: those on communicators it knows.
pub(super) fn collectives(calls: &Calls, index: &Index) -> Vec<Collective> {
    let row = |(&(hash, op, root, _), &(bytes, calls))| {
        let &(comm, size) = index.get(&hash)?;
        let row = Collective {
            comm,
            op,
            root,
            bytes,
            calls,
        };
        root.is_none_or(|root: u32| (root as usize) < size)
            .then_some(row)
    };
    let mut collectives: Vec<Collective> = calls.iter().filter_map(row).collect();
    // Stable: what differs in size only stays in the order of size.
    collectives.sort_by_key(|row| (row.comm, row.op, row.root));
    collectives
}
