//! The counters: an open-addressing hash table of fixed size in the journal.
//!
//! Looking up and counting takes no lock. A counter that is not there yet is made under a lock,
//! once for each pair of ranks and each kind of call.

use rankfold_wire::journal::{Key, layout as at};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Mutex, PoisonError};

/// A counter in the form of the file.
#[repr(C)]
pub(crate) struct Slot {
    /// 0 while the slot is empty; written last, when the detail is there.
    key: AtomicU64,
    bytes: AtomicU64,
    messages: AtomicU64,
    detail: AtomicU64,
}

const _: () = assert!(size_of::<Slot>() == at::SLOT);

/// A table of counters.
pub(crate) struct Table {
    slots: &'static [Slot],
    /// Number of slots in use.
    used: Mutex<usize>,
}

impl Table {
    /// A table in these slots, which are empty. Their number is a power of two.
    pub(crate) fn new(slots: &'static [Slot]) -> Self {
        let used = Mutex::new(0);
        Self { slots, used }
    }

    /// The index of the counter for `key`, which is made if it is not there. `None` if the table is
    /// full.
    pub(crate) fn find(&self, key: Key) -> Option<u32> {
        let (key, detail) = key.encode();
        self.look_up(key, detail)
            .or_else(|| self.insert(key, detail))
    }

    /// Adds to the counter at this index.
    pub(crate) fn add(&self, index: u32, bytes: u64, messages: u64) {
        if let Some(slot) = self.slots.get(index as usize) {
            slot.bytes.fetch_add(bytes, Relaxed);
            slot.messages.fetch_add(messages, Relaxed);
        }
    }

    /// The slots in the order in which they are tried for a key.
    fn probe(&self, key: u64, detail: u64) -> impl Iterator<Item = (u32, &Slot)> {
        /// Odd, with its bits well mixed: the golden ratio in 64 bits.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (key ^ detail.rotate_left(29)).wrapping_mul(SPREAD);
        let mask = self.slots.len().wrapping_sub(1);
        let start = (mixed >> 32) as usize;
        (0..self.slots.len()).filter_map(move |step| {
            let index = start.wrapping_add(step) & mask;
            Some((index as u32, self.slots.get(index)?))
        })
    }

    fn look_up(&self, key: u64, detail: u64) -> Option<u32> {
        for (index, slot) in self.probe(key, detail) {
            match slot.key.load(Acquire) {
                0 => return None,
                found if found == key && slot.detail.load(Relaxed) == detail => return Some(index),
                _ => {}
            }
        }
        None
    }

    /// Makes a counter, unless another thread has just made it.
    fn insert(&self, key: u64, detail: u64) -> Option<u32> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, slot) in self.probe(key, detail) {
            match slot.key.load(Relaxed) {
                // The last eighth stays empty, so that looking up stays short.
                0 if *used >= self.slots.len() / 8 * 7 => return None,
                0 => {
                    *used += 1;
                    slot.detail.store(detail, Relaxed);
                    slot.key.store(key, Release);
                    return Some(index);
                }
                found if found == key && slot.detail.load(Relaxed) == detail => return Some(index),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(slots: usize) -> Table {
        let empty = || Slot {
            key: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            detail: AtomicU64::new(0),
        };
        let slots: Vec<Slot> = (0..slots).map(|_| empty()).collect();
        Table::new(slots.leak())
    }

    fn key(peer: u32, comm: u32) -> Key {
        Key::NcclSent { peer, comm }
    }

    #[test]
    fn threads_that_make_the_same_counters_make_each_once() {
        let table = table(256);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for peer in (0..100).cycle().take(5000) {
                        let slot = table.find(key(peer % 25, peer / 25)).expect("room");
                        table.add(slot, 3, 1);
                    }
                });
            }
        });
        assert_eq!(*table.used.lock().expect("a number"), 100);
        let sums = table.slots.iter().map(|slot| slot.bytes.load(Relaxed));
        assert_eq!(sums.sum::<u64>(), 4 * 5000 * 3);
    }

    #[test]
    fn a_full_table_refuses_new_counters_and_keeps_the_old_ones() {
        let table = table(16);
        let made = (0..100).filter(|&peer| table.find(key(peer, 0)).is_some());
        assert_eq!(made.count(), 14);
        assert!(table.find(key(0, 0)).is_some());
    }
}
