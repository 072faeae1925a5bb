//! The counters: one table a thread, written by that thread alone, so plain stores are enough.

use crate::cache::{in_register, spread};
use crate::journal::{self, Slot};
use crate::{phase, thread};
use rankfold_profile::journal::Key;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The table a thread is filling.
pub(crate) struct Counters {
    /// Null as long as there is none.
    first: Cell<*const Slot>,
    /// Bytes from the first slot to the last; the number of slots is a power of two.
    last: Cell<usize>,
    /// Keys it still takes: half stays empty, to keep searches short and finite.
    free: Cell<usize>,
}

/// In the place of a table until there is one.
static NONE: Slot = Slot {
    key: AtomicU64::new(0),
    bytes: AtomicU64::new(0),
    messages: AtomicU64::new(0),
    detail: AtomicU64::new(0),
};

impl Counters {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self {
            first: Cell::new(ptr::null()),
            last: Cell::new(0),
            free: Cell::new(0),
        }
    }

    /// Puts another table, or none, in the place of this one, which goes to `other`.
    pub(crate) fn swap(&self, other: &Self) {
        self.first.swap(&other.first);
        self.last.swap(&other.last);
        self.free.swap(&other.free);
    }

    /// Makes sure that there is something to search.
    pub(crate) fn prepare(&self) {
        if self.first.get().is_null() {
            self.first.set(&raw const NONE);
        }
    }

    /// The counters of messages to `rank`, if they are where the search for them starts.
    ///
    /// # Safety
    /// They are [prepared](Self::prepare).
    #[inline(always)]
    pub(crate) unsafe fn at_home(&self, rank: u32) -> Option<&'static Slot> {
        let (key, _) = Key::Sent(rank).encode();
        let place = self
            .first
            .get()
            .wrapping_byte_add(spread(key) & self.last.get());
        // SAFETY: one of the slots from the first to the last, which are never unmapped.
        let slot = unsafe { &*in_register(place) };
        (slot.key.load(Relaxed) == key).then_some(slot)
    }

    /// The counters of messages to `rank`, if there are any.
    #[inline(always)]
    pub(crate) fn known(&self, rank: u32) -> Option<&'static Slot> {
        self.find(Key::Sent(rank).encode()).ok()
    }

    /// Counts a message of `bytes` under `key`; in vain when there is no memory.
    pub(crate) fn add(&self, key: Key, bytes: u64) {
        let key = key.encode();
        if let Some(slot) = self.find(key).ok().or_else(|| self.insert(key)) {
            slot.add(bytes);
        }
    }

    /// The slot of a key, or the empty one where it belongs.
    fn find(&self, (key, detail): (u64, u64)) -> Result<&'static Slot, &'static Slot> {
        self.prepare();
        let mut place = spread(folded(key, detail));
        loop {
            place &= self.last.get();
            // SAFETY: one of the slots from the first to the last, which are never unmapped.
            let slot = unsafe { &*self.first.get().wrapping_byte_add(place) };
            let found = slot.key.load(Relaxed);
            if found == key && slot.detail.load(Relaxed) == detail {
                return Ok(slot);
            }
            if found == 0 {
                return Err(slot);
            }
            place += size_of::<Slot>();
        }
    }

    /// A slot for a new key, in a table twice as large when this one is full.
    fn insert(&self, key: (u64, u64)) -> Option<&'static Slot> {
        if self.free.get() == 0 {
            let table = journal::grow(self.slots(), phase::name(thread::this().phase.get()))?;
            self.first.set(table.as_ptr());
            self.last.set((table.len() - 1) * size_of::<Slot>());
            self.free.set(table.len() / 2);
        }
        let slot = self.find(key).unwrap_or_else(|empty| empty);
        slot.detail.store(key.1, Relaxed);
        slot.key.store(key.0, Relaxed);
        self.free.set(self.free.get() - 1);
        Some(slot)
    }

    fn slots(&self) -> usize {
        match self.last.get() {
            0 => 0,
            last => last / size_of::<Slot>() + 1,
        }
    }
}

/// One word of two; the key itself of what is sent, which is short and has no detail.
fn folded(key: u64, detail: u64) -> u64 {
    key ^ (key >> 32).wrapping_mul(0x9E37_79B1) ^ detail.wrapping_mul(0x85EB_CA77)
}

impl Slot {
    /// Counts a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        // One after the other: an addition in memory each.
        let sum = self.bytes.load(Relaxed);
        self.bytes.store(sum.wrapping_add(bytes), Relaxed);
        let messages = self.messages.load(Relaxed);
        self.messages.store(messages.wrapping_add(1), Relaxed);
    }
}
