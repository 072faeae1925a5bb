//! The counters: one table a thread, written by that thread alone, so plain stores are enough.

use crate::journal::{self, Slot};
use rankfold_profile::journal::layout::FETCHED;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// The table a thread is filling.
pub(crate) struct Counters {
    /// Null as long as there is none.
    first: Cell<*const Slot>,
    /// Slots - 1; their number is a power of two.
    mask: Cell<usize>,
    /// Receivers it still takes: half stays empty, to keep searches short and finite.
    free: Cell<usize>,
}

impl Counters {
    /// The counters of messages to `rank`, if they are where the search for them starts.
    #[inline(always)]
    pub(crate) fn known(&self, rank: u32) -> Option<&'static Slot> {
        let slot = self.slot_at(home(sent_to(rank)))?;
        (slot.key.load(Relaxed) == sent_to(rank)).then_some(slot)
    }

    /// The counters under a key; `None` when there is no memory for them.
    pub(crate) fn slot(&self, key: u64) -> Option<&'static Slot> {
        match self.find(key) {
            Some(slot) if slot.key.load(Relaxed) != 0 => Some(slot),
            _ => self.insert(key),
        }
    }

    /// The slot of `key` or the empty one where it belongs; `None` without a table.
    fn find(&self, key: u64) -> Option<&'static Slot> {
        let mut index = home(key);
        loop {
            let slot = self.slot_at(index)?;
            let found = slot.key.load(Relaxed);
            if found == key || found == 0 {
                return Some(slot);
            }
            index += 1;
        }
    }

    #[inline(always)]
    fn slot_at(&self, index: usize) -> Option<&'static Slot> {
        let slot = self.first.get().wrapping_add(index & self.mask.get());
        // SAFETY: null, or one of the `mask + 1` slots from `first` on, which are never unmapped.
        unsafe { slot.as_ref() }
    }

    /// A slot for a new receiver, in a table twice as large when this one is full.
    fn insert(&self, key: u64) -> Option<&'static Slot> {
        if self.free.get() == 0 {
            let table = journal::grow(self.slots())?;
            self.first.set(table.as_ptr());
            self.mask.set(table.len() - 1);
            self.free.set(table.len() / 2);
        }
        let slot = self.find(key)?;
        slot.key.store(key, Relaxed);
        self.free.set(self.free.get() - 1);
        Some(slot)
    }

    fn slots(&self) -> usize {
        if self.first.get().is_null() {
            0
        } else {
            self.mask.get() + 1
        }
    }
}

/// The key of what this rank sends to `rank`.
#[inline(always)]
pub(crate) const fn sent_to(rank: u32) -> u64 {
    rank as u64 + 1
}

/// The key of what this rank fetches from `rank`.
pub(crate) const fn fetched_from(rank: u32) -> u64 {
    FETCHED | sent_to(rank)
}

/// Where the search for a key starts. Fibonacci hashing: the neighbours in a grid often differ by powers of two.
#[inline(always)]
const fn home(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

impl Slot {
    /// Counts a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        let (sum, messages) = (self.bytes.load(Relaxed), self.messages.load(Relaxed));
        self.bytes.store(sum.wrapping_add(bytes), Relaxed);
        self.messages.store(messages.wrapping_add(1), Relaxed);
    }
}
