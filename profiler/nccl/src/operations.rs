//! Operations of proxies in versions 1 to 3 of the interface, which tell sums: what has been
//! counted of each so far. The pool has a fixed size.

use crate::handle::Handle;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Number of operations under way at once. NCCL keeps up to 2 for each channel and peer; chosen by
/// hand, for a thousand peers.
const ENTRIES: usize = 1 << 14;

/// Number of entries that are tried for a new operation. Chosen by hand; not measured.
const TRIES: usize = 64;

/// An operation under way.
struct Entry {
    /// Which use of the entry this is: odd while it is in use.
    turn: AtomicU32,
    slot: AtomicU32,
    sends: AtomicU32,
    /// The highest sum that was told.
    highest: AtomicU64,
}

/// The operations under way.
pub(crate) struct Operations {
    entries: [Entry; ENTRIES],
    /// The entry that is tried next.
    next: AtomicU32,
}

/// What the progress of an operation adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) slot: u32,
    pub(crate) sends: bool,
    pub(crate) bytes: u64,
}

impl Operations {
    pub(crate) const fn new() -> Self {
        Self {
            entries: [const {
                Entry {
                    turn: AtomicU32::new(0),
                    slot: AtomicU32::new(0),
                    sends: AtomicU32::new(0),
                    highest: AtomicU64::new(0),
                }
            }; ENTRIES],
            next: AtomicU32::new(0),
        }
    }

    /// Begins an operation that counts in `slot`; `None` if there is no free entry.
    pub(crate) fn begin(&self, slot: u32, sends: bool) -> Option<Handle> {
        for _ in 0..TRIES {
            let index = self.next.fetch_add(1, Relaxed) as usize % ENTRIES;
            let entry = &self.entries[index];
            let turn = entry.turn.load(Acquire);
            let begun = turn.wrapping_add(1);
            if turn & 1 == 0
                && entry
                    .turn
                    .compare_exchange(turn, begun, AcqRel, Relaxed)
                    .is_ok()
            {
                entry.slot.store(slot, Relaxed);
                entry.sends.store(u32::from(sends), Relaxed);
                entry.highest.store(0, Release);
                return Some(Handle::Pooled {
                    entry: index as u16,
                    turn: begun as u16,
                });
            }
        }
        None
    }

    /// Notes that an operation has moved `sum` bytes so far. `None` if the operation has ended.
    pub(crate) fn reach(&self, entry: u16, turn: u16, sum: u64) -> Option<Added> {
        let entry = self.entries.get(usize::from(entry))?;
        if entry.turn.load(Acquire) as u16 != turn {
            return None;
        }
        let before = entry.highest.fetch_max(sum, AcqRel);
        Some(Added {
            slot: entry.slot.load(Relaxed),
            sends: entry.sends.load(Relaxed) != 0,
            bytes: sum.saturating_sub(before),
        })
    }

    /// Ends an operation. Ending it again does nothing.
    pub(crate) fn end(&self, entry: u16, turn: u16) {
        if let Some(entry) = self.entries.get(usize::from(entry)) {
            let now = entry.turn.load(Acquire);
            if now as u16 == turn && now & 1 == 1 {
                // Another thread that ends the same operation may have been faster.
                let _ = entry
                    .turn
                    .compare_exchange(now, now.wrapping_add(1), AcqRel, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static POOL: Operations = Operations::new();

    fn parts(handle: Handle) -> (u16, u16) {
        match handle {
            Handle::Pooled { entry, turn } => (entry, turn),
            _ => unreachable!("the pool makes no other handles"),
        }
    }

    #[test]
    fn sums_are_counted_once_in_any_order_and_not_after_the_end() {
        let (entry, turn) = parts(POOL.begin(7, true).expect("an entry"));
        let added = |sum| POOL.reach(entry, turn, sum).map(|added| added.bytes);
        assert_eq!(
            [10, 30, 20, 30].map(added),
            [Some(10), Some(20), Some(0), Some(0)]
        );
        POOL.end(entry, turn);
        POOL.end(entry, turn);
        assert_eq!(added(99), None);
    }

    #[test]
    fn a_full_pool_refuses_and_recovers() {
        static FULL: Operations = Operations::new();
        let all: Vec<_> = std::iter::from_fn(|| FULL.begin(0, false)).collect();
        assert_eq!(all.len(), ENTRIES);
        let (entry, turn) = parts(all[0]);
        FULL.end(entry, turn);
        let again = (0..ENTRIES / TRIES).find_map(|_| FULL.begin(1, true));
        assert_eq!(again.map(|handle| parts(handle).0), Some(entry));
    }
}
