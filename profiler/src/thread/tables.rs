//! The tables of one thread: a table for each phase of the run it has counted in.

use super::counters::Counters;
use super::retired;
use crate::journal::slot::Slot;
use rankfold_profile::SizeKind;
use rankfold_profile::journal::Key;
use std::cell::Cell;
use std::ptr;

/// All bytes zero, it is no table of phase 0, which stands for none.
#[repr(C)]
pub(crate) struct Tables {
    /// The table of the phase that the thread counts in now.
    pub(crate) current: Counters,
    /// Number of that phase.
    phase: Cell<u32>,
    /// The tables of phases it has counted in before, a list.
    others: Cell<*const Other>,
}

/// The table of a phase; it is empty while the phase is the current one.
struct Other {
    phase: u32,
    counters: Counters,
    next: *const Other,
}

impl Tables {
    /// Counts a message of `bytes` under `key`; in vain when there is no memory.
    pub(crate) fn add(&self, key: Key, bytes: u64) {
        if let Key::Size(SizeKind::Message, _) = key {
            // A message is counted under its receiver first, which makes the table.
            if let Some(by_size) = self.current.of_size(bytes) {
                by_size.add(bytes);
            }
        } else if let Some(slot) = self.slot(key) {
            slot.sum.add(bytes);
        }
    }

    /// Where `key` is counted in the current table; `None` when there is no memory. Without a
    /// table, that of a thread that has ended is taken, if one was left.
    pub(super) fn slot(&self, key: Key) -> Option<&'static Slot> {
        if !self.current.exists() {
            retired::watch();
            if let Some(left) = retired::take(self.phase.get()) {
                self.current.swap(&left);
            }
        }
        self.current.slot(key, self.phase.get())
    }

    /// Number of the phase of the current table.
    pub(super) fn phase(&self) -> u32 {
        self.phase.get()
    }

    /// Makes the table of `phase`, which is another than the current one's, the current one.
    pub(super) fn change_to(&self, phase: u32) {
        self.other(self.phase.get()).swap(&self.current);
        self.other(phase).swap(&self.current);
        self.phase.set(phase);
    }

    /// Hands every table to `take`, with its phase, and holds none from then on.
    pub(super) fn leave(&self, take: &mut dyn FnMut(u32, Counters)) {
        let current = Counters::new();
        current.swap(&self.current);
        take(self.phase.replace(0), current);
        let mut next = self.others.replace(ptr::null());
        while !next.is_null() {
            // SAFETY: not null, so `other` has made it of a box, and only this list of one thread
            // held it.
            let other = unsafe { Box::from_raw(next.cast_mut()) };
            next = other.next;
            take(other.phase, other.counters);
        }
    }

    /// The counters that wait for `phase`, from now on if there were none.
    fn other(&self, phase: u32) -> &'static Counters {
        let mut next = self.others.get();
        // SAFETY: the pointer is null, or this function has stored it, of a box that is leaked
        // until the thread ends.
        while let Some(other) = unsafe { next.as_ref() } {
            if other.phase == phase {
                return &other.counters;
            }
            next = other.next;
        }
        let new: &'static Other = Box::leak(Box::new(Other {
            phase,
            counters: Counters::new(),
            next: self.others.get(),
        }));
        self.others.set(new);
        &new.counters
    }
}
