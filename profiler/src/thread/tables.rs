//! The tables of one thread: one for each phase for which it has counted.

use super::counters::Counters;
use super::retired;
use crate::journal::slot::Slot;
use rankfold_wire::SizeKind;
use rankfold_wire::journal::Key;
use std::cell::Cell;
use std::ptr;

/// With all bytes zero there is no table, and the phase is 0, which stands for none.
#[repr(C)]
pub(crate) struct Tables {
    /// The table of the phase for which the thread counts now.
    pub(crate) current: Counters,
    /// The number of that phase.
    phase: Cell<u32>,
    /// A list of the tables of phases for which the thread has counted before.
    others: Cell<*const Other>,
}

/// The table of a phase. It is empty while the phase is the current one.
struct Other {
    phase: u32,
    counters: Counters,
    next: *const Other,
}

impl Tables {
    /// Counts a message of `bytes` under `key`. Without memory for it, the message is lost.
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

    /// The slot of `key` in the current table; `None` if there is no memory. If there is no table
    /// yet, one of a thread that has ended is taken, if there is any.
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

    /// Makes the table of `phase`, which is not the current phase, the current table.
    pub(super) fn change_to(&self, phase: u32) {
        self.other(self.phase.get()).swap(&self.current);
        self.other(phase).swap(&self.current);
        self.phase.set(phase);
    }

    /// Passes every table to `take`, with its phase, and holds none from then on.
    pub(super) fn leave(&self, take: &mut dyn FnMut(u32, Counters)) {
        let current = Counters::new();
        current.swap(&self.current);
        take(self.phase.replace(0), current);
        let mut next = self.others.replace(ptr::null());
        while !next.is_null() {
            // SAFETY: the pointer is not null, so `other` has made it of a box. Only this list,
            // which belongs to one thread, held it.
            let other = unsafe { Box::from_raw(next.cast_mut()) };
            next = other.next;
            take(other.phase, other.counters);
        }
    }

    /// The table for `phase` among those that are not current. An empty one is added if there is
    /// none.
    fn other(&self, phase: u32) -> &'static Counters {
        let mut next = self.others.get();
        // SAFETY: the pointer is null, or this function has made it of a box, which is not freed
        // before the thread ends.
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
