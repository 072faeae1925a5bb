//! The counters: one table a thread, written by that thread alone, so plain stores are enough.

use crate::journal::{self, Slot};
use crate::{phase, thread};
use rankfold_profile::journal::Key;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// The table a thread is filling.
pub(crate) struct Counters {
    /// Null as long as there is none.
    first: Cell<*const Slot>,
    /// Slots - 1; their number is a power of two.
    mask: Cell<usize>,
    /// Keys it still takes: half stays empty, to keep searches short and finite.
    free: Cell<usize>,
}

impl Counters {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self {
            first: Cell::new(std::ptr::null()),
            mask: Cell::new(0),
            free: Cell::new(0),
        }
    }

    /// Puts another table, or none, in the place of this one, which goes to `other`.
    pub(crate) fn swap(&self, other: &Self) {
        self.first.swap(&other.first);
        self.mask.swap(&other.mask);
        self.free.swap(&other.free);
    }

    /// The counters of messages to `rank`, if they are where the search for them starts.
    #[inline(always)]
    pub(crate) fn known(&self, rank: u32) -> Option<&'static Slot> {
        let (key, _) = Key::Sent(rank).encode();
        let slot = self.slot_at(home(key))?;
        (slot.key.load(Relaxed) == key).then_some(slot)
    }

    /// Counts a message of `bytes` under `key`; in vain when there is no memory.
    pub(crate) fn add(&self, key: Key, bytes: u64) {
        let key = key.encode();
        let slot = match self.find(key) {
            Some(slot) if slot.key.load(Relaxed) != 0 => Some(slot),
            _ => self.insert(key),
        };
        if let Some(slot) = slot {
            slot.add(bytes);
        }
    }

    /// The slot of a key or the empty one where it belongs; `None` without a table.
    fn find(&self, (key, detail): (u64, u64)) -> Option<&'static Slot> {
        let mut index = home(folded(key, detail));
        loop {
            let slot = self.slot_at(index)?;
            let found = slot.key.load(Relaxed);
            if found == 0 || found == key && slot.detail.load(Relaxed) == detail {
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

    /// A slot for a new key, in a table twice as large when this one is full.
    fn insert(&self, key: (u64, u64)) -> Option<&'static Slot> {
        if self.free.get() == 0 {
            let table = journal::grow(self.slots(), phase::name(thread::this().phase.get()))?;
            self.first.set(table.as_ptr());
            self.mask.set(table.len() - 1);
            self.free.set(table.len() / 2);
        }
        let slot = self.find(key)?;
        slot.detail.store(key.1, Relaxed);
        slot.key.store(key.0, Relaxed);
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

/// One word of two; the key itself of what is sent, which is short and has no detail.
fn folded(key: u64, detail: u64) -> u64 {
    key ^ (key >> 32).wrapping_mul(0x9E37_79B1) ^ detail.wrapping_mul(0x85EB_CA77)
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
