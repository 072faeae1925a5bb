//! A table of counters. One thread alone writes it, so plain stores are enough.

use super::cache::{in_register, spread};
use super::this;
use crate::journal::sizes::Sizes;
use crate::journal::{self, Table, slot::Slot, sum::Sum};
use crate::memory;
use crate::phase;
use rankfold_wire::journal::Key;
use rankfold_wire::journal::layout::MAX_RANKS;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The table into which a thread counts. With all bytes zero there is no table.
#[repr(C)]
pub(crate) struct Counters {
    /// The first slot. Null as long as there is no table and [`Counters::prepare`] has not stored
    /// [`NONE`].
    first: Cell<*const Slot>,
    /// Number of bytes from the first slot to the last. The number of slots is a power of two.
    last: Cell<usize>,
    /// Number of keys that the table still takes. Half of the slots stay empty, so that searches
    /// are short and end.
    free: Cell<usize>,
    /// Messages by size; null as long as there is no table.
    sizes: Cell<*const Sizes>,
}

/// Number of events that were not counted, because there was no memory for a table.
static UNCOUNTED: AtomicU64 = AtomicU64::new(0);

/// Number of messages and other events that were not counted, because there was no memory.
pub(crate) fn uncounted() -> u64 {
    UNCOUNTED.load(Relaxed)
}

/// Number of receivers, counted once for each table. The number of those before it is the place of
/// a receiver in the order in which the process has sent to them.
static RECEIVERS: AtomicU64 = AtomicU64::new(0);

/// Stands for a table until there is one.
static NONE: Slot = Slot::empty();

impl Counters {
    /// No table yet.
    pub(crate) const fn new() -> Self {
        Self {
            first: Cell::new(ptr::null()),
            last: Cell::new(0),
            free: Cell::new(0),
            sizes: Cell::new(ptr::null()),
        }
    }

    /// Whether there is a table.
    pub(super) fn exists(&self) -> bool {
        self.slots() > 0
    }

    /// Exchanges the tables of two values. Either may have none.
    pub(crate) fn swap(&self, other: &Self) {
        self.first.swap(&other.first);
        self.last.swap(&other.last);
        self.free.swap(&other.free);
        self.sizes.swap(&other.sizes);
    }

    /// Makes sure that there is a slot to look at. Without a table it is one that is always empty.
    pub(crate) fn prepare(&self) {
        if self.first.get().is_null() {
            self.first.set(&raw const NONE);
        }
    }

    /// The counters of messages to `rank`, if they are in the slot in which the search for them
    /// starts.
    ///
    /// # Safety
    /// The counters are [prepared](Self::prepare).
    #[inline(always)]
    pub(crate) unsafe fn at_home(&self, rank: u32) -> Option<&'static Slot> {
        let key = sent(rank);
        let place = self
            .first
            .get()
            .wrapping_byte_add(spread(key) & self.last.get());
        // SAFETY: the caller has prepared the counters, so `first` is the address of a slot.
        // `spread` returns a multiple of 32 once masked, so `place` is the address of a slot
        // between the first and the last. Slots are never unmapped.
        let slot = unsafe { &*in_register(place) };
        (slot.key.load(Relaxed) == key).then_some(slot)
    }

    /// The counters of messages of about `bytes`.
    ///
    /// # Safety
    /// There is a table, as there is once a slot was found.
    #[inline(always)]
    pub(crate) unsafe fn of_known_size(&self, bytes: u64) -> &'static Sum {
        // SAFETY: there is a table, so `enlarge` has stored the address of its sizes, which are
        // never unmapped.
        let sum = unsafe { &*self.sizes.get() }.of(bytes);
        // SAFETY: `in_register` returns the address that it is given.
        unsafe { &*in_register(sum) }
    }

    /// The counters of messages of about `bytes`, if there is a table.
    pub(crate) fn of_size(&self, bytes: u64) -> Option<&'static Sum> {
        // SAFETY: the pointer is null, or `enlarge` has stored it. Sizes are never unmapped.
        Some(unsafe { self.sizes.get().as_ref() }?.of(bytes))
    }

    /// The counters of messages to `rank`, if there are any.
    #[inline(always)]
    pub(crate) fn known(&self, rank: u32) -> Option<&'static Slot> {
        self.find(Key::Sent(rank).encode()).ok()
    }

    /// The slot of `key` in this table, which is of phase number `phase`; `None` if there is no
    /// memory.
    pub(crate) fn slot(&self, key: Key, phase: u32) -> Option<&'static Slot> {
        // A burst, a size or a function belongs to messages that are not counted either.
        let is_message = !matches!(key, Key::Burst(_) | Key::Size(..) | Key::Function(_));
        let key = key.encode();
        let slot = self.find(key).ok().or_else(|| self.insert(key, phase));
        if slot.is_some() || !is_message {
            return slot;
        }
        if self.exists() && memory::is_at_bound() {
            return Some(self.others());
        }
        UNCOUNTED.fetch_add(1, Relaxed);
        None
    }

    /// The slot of what has no counters of its own. It takes one of the slots that stay empty
    /// otherwise. There must be a table.
    fn others(&self) -> &'static Slot {
        let key = Key::Others.encode();
        self.find(key).unwrap_or_else(|empty| {
            empty.key.store(key.0, Relaxed);
            empty
        })
    }

    /// The slot of a key, or as an error the empty slot where the key belongs. The detail of a
    /// receiver is 0 here, whatever its slot holds.
    fn find(&self, (key, detail): (u64, u64)) -> Result<&'static Slot, &'static Slot> {
        self.prepare();
        let mut place = spread(folded(key, detail));
        loop {
            place &= self.last.get();
            // SAFETY: `first` is the address of a slot since `prepare`. Masked by the offset of the
            // last slot, `place` is the address of a slot between both. Slots are never unmapped.
            let slot = unsafe { &*self.first.get().wrapping_byte_add(place) };
            let found = slot.key.load(Relaxed);
            if found == key && (is_receiver(key) || slot.detail.load(Relaxed) == detail) {
                return Ok(slot);
            }
            if found == 0 {
                return Err(slot);
            }
            place += size_of::<Slot>();
        }
    }

    /// A slot for a new key. If the table is full, it is replaced by one twice as large.
    fn insert(&self, key: (u64, u64), phase: u32) -> Option<&'static Slot> {
        if self.free.get() == 0 {
            self.enlarge(phase)?;
        }
        let slot = self.find(key).unwrap_or_else(|empty| empty);
        let detail = if is_receiver(key.0) {
            RECEIVERS.fetch_add(1, Relaxed) + 1
        } else {
            key.1
        };
        slot.detail.store(detail, Relaxed);
        slot.key.store(key.0, Relaxed);
        self.free.set(self.free.get() - 1);
        Some(slot)
    }

    /// Takes a table twice as large, or a first one.
    fn enlarge(&self, phase: u32) -> Option<()> {
        let old = self.table();
        let before = self.sizes.get();
        let Table {
            slots,
            sizes,
            replaces,
        } = journal::grow(old, phase::name(phase))?;
        self.first.set(slots.as_ptr());
        self.last.set((slots.len() - 1) * size_of::<Slot>());
        self.free.set(slots.len() / 2);
        self.sizes.set(sizes);
        if replaces {
            // SAFETY: a table is being replaced, so the pointer is that of its sizes, which are
            // never unmapped.
            sizes.take_over(unsafe { &*before });
            let filled = |slot: &&Slot| slot.key.load(Relaxed) != 0;
            for slot in old.iter().filter(filled) {
                let key = slot.key.load(Relaxed);
                let detail = if is_receiver(key) {
                    0
                } else {
                    slot.detail.load(Relaxed)
                };
                let place = self.find((key, detail)).unwrap_or_else(|empty| empty);
                place.take_over(slot);
                self.free.set(self.free.get() - 1);
            }
            // The slots that are cached for bursts of this thread are those of the old table.
            this().burst.forget();
            journal::replace(old, slots);
        }
        Some(())
    }

    fn table(&self) -> &'static [Slot] {
        if !self.exists() {
            return &[];
        }
        // SAFETY: there is a table, so `enlarge` has stored the addresses of its first and last
        // slot, and slots are never unmapped.
        unsafe { std::slice::from_raw_parts(self.first.get(), self.slots()) }
    }

    fn slots(&self) -> usize {
        match self.last.get() {
            0 => 0,
            last => last / size_of::<Slot>() + 1,
        }
    }
}

/// [`Key::Sent`] as a number. It is written out here, because `encode` is too long for the compiler
/// to inline it into every send.
#[inline(always)]
const fn sent(rank: u32) -> u64 {
    rank as u64 + 1
}

/// Whether a key is that of messages sent to a rank.
const fn is_receiver(key: u64) -> bool {
    key >> 32 == 0
}

const _: () = assert!(is_receiver(sent(MAX_RANKS)) && !is_receiver(Key::Fetched(0).encode().0));
const _: () =
    assert!(sent(0) == Key::Sent(0).encode().0 && sent(u32::MAX) == Key::Sent(u32::MAX).encode().0);

/// A key and its detail as one word, to be hashed. The key of bytes sent to a rank has no detail
/// and fits into 32 bits, so it stays as it is.
fn folded(key: u64, detail: u64) -> u64 {
    key ^ (key >> 32).wrapping_mul(0x9E37_79B1) ^ detail.wrapping_mul(0x85EB_CA77)
}
