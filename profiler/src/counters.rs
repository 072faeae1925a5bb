//! The counters: one table a thread, written by that thread alone, so plain stores are enough.

use crate::journal::{self, Slot};
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

thread_local! {
    static TABLE: Cell<Table> = const { Cell::new(Table { slots: &[], free: 0 }) };
}

/// The table a thread is filling.
#[derive(Clone, Copy)]
struct Table {
    /// A power of two, or none yet.
    slots: &'static [Slot],
    /// Receivers it still takes: a quarter stays empty, to keep searches short and finite.
    free: usize,
}

/// Counts a message of `bytes` to `rank`.
#[inline]
pub(crate) fn add(rank: u32, bytes: u64) {
    let key = u64::from(rank) + 1;
    let table = TABLE.get();
    let slot = match table.find(key) {
        Some(slot) if slot.key.load(Relaxed) == key => slot,
        empty => match insert(table, empty, key) {
            Some(slot) => slot,
            None => return,
        },
    };
    slot.bytes
        .store(slot.bytes.load(Relaxed).wrapping_add(bytes), Relaxed);
    slot.messages
        .store(slot.messages.load(Relaxed).wrapping_add(1), Relaxed);
}

impl Table {
    /// The slot of `key`, or the empty one where it belongs.
    #[inline]
    fn find(&self, key: u64) -> Option<&'static Slot> {
        let mask = self.slots.len().checked_sub(1)?;
        // Neighbouring ranks land in neighbouring slots: no collisions in a stencil.
        let mut index = key as usize & mask;
        loop {
            let slot = self.slots.get(index)?;
            match slot.key.load(Relaxed) {
                0 => return Some(slot),
                known if known == key => return Some(slot),
                _ => index = (index + 1) & mask,
            }
        }
    }
}

/// Takes the `empty` slot for a new receiver, in a table twice as large when this one is full.
#[cold]
fn insert(mut table: Table, mut empty: Option<&'static Slot>, key: u64) -> Option<&'static Slot> {
    if table.free == 0 {
        let slots = journal::grow(table.slots.len())?;
        table = Table {
            slots,
            free: slots.len() / 4 * 3,
        };
        empty = table.find(key);
    }
    let slot = empty?;
    slot.key.store(key, Relaxed);
    table.free -= 1;
    TABLE.set(table);
    Some(slot)
}
