//! Handles that the program has freed, and that MPI may give to other objects. Every free starts
//! another epoch, and before a thread uses anything that it has cached in an older epoch, it drops
//! what was freed.
//!
//! A thread may have cached many communicators, so the last handles that were freed are logged, and
//! a thread drops these alone. Of datatypes and windows a thread caches a few, so their frees are
//! counted only, and a thread drops them all.

use crate::epoch;
use rankfold_abi::{self as abi, Address, Handle};
use std::sync::{Mutex, PoisonError};

/// Number of handles in the log. A thread for which more were freed since it last looked drops all
/// communicators that it has cached. Chosen by hand; not measured.
const LOGGED: usize = 64;

static LOG: Mutex<Log> = Mutex::new(Log {
    numbers: Numbers {
        communicators: 0,
        datatypes: 0,
        windows: 0,
    },
    handles: [0; LOGGED],
});

struct Log {
    numbers: Numbers,
    /// The communicators that were freed last: the n-th is at n modulo the length.
    handles: [Handle; LOGGED],
}

/// Numbers of objects that were freed.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    communicators: u64,
    pub(crate) datatypes: u64,
    pub(crate) windows: u64,
}

/// The program is freeing the communicator whose handle is at `place`. If that fails, the
/// communicator is looked up again, which costs time only.
pub(crate) fn communicator_at(place: Address) {
    if let Some(abi) = abi::get().filter(|_| !place.is_null()) {
        // SAFETY: `place` is not null, so the program has passed the address of a handle.
        communicator(unsafe { abi.handle_at(place, 0) });
    }
}

/// The communicator `comm` is being freed.
pub(crate) fn communicator(comm: Handle) {
    if let Some(abi) = abi::get() {
        note(|log| log.free(comm & abi.mask));
    }
}

/// A datatype is being freed.
pub(crate) fn datatype() {
    note(|log| log.numbers.datatypes += 1);
}

/// A window is being freed.
pub(crate) fn window() {
    note(|log| log.numbers.windows += 1);
}

/// All objects are ending, with the MPI library.
pub(crate) fn all() {
    note(|log| {
        log.numbers.communicators += LOGGED as u64 + 1;
        log.numbers.datatypes += 1;
        log.numbers.windows += 1;
    });
}

/// Calls `note` and starts another epoch. Without a journal no thread has cached anything.
fn note(note: impl FnOnce(&mut Log)) {
    if epoch::is_open() {
        note(&mut LOG.lock().unwrap_or_else(PoisonError::into_inner));
        epoch::next();
    }
}

/// Returns how many objects were freed by now. Passes each communicator that was freed since
/// `seen` to `drop_one`, or calls `drop_all` if these are not known any more.
pub(crate) fn since(
    seen: Numbers,
    drop_one: impl FnMut(Handle),
    drop_all: impl FnOnce(),
) -> Numbers {
    let log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    match log.communicators_since(seen.communicators) {
        Some(handles) => handles.for_each(drop_one),
        None => drop_all(),
    }
    log.numbers
}

impl Log {
    fn free(&mut self, comm: Handle) {
        let place = self.numbers.communicators as usize % LOGGED;
        self.handles[place] = comm;
        self.numbers.communicators += 1;
    }

    /// The communicators that were freed since there were `seen`; `None` if some are not in the log
    /// any more.
    fn communicators_since(&self, seen: u64) -> Option<impl Iterator<Item = Handle> + '_> {
        let new = seen..self.numbers.communicators;
        let handle = |number| self.handles[number as usize % LOGGED];
        (new.end - new.start <= LOGGED as u64).then(|| new.map(handle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_freed_is_known_until_the_log_is_full() {
        let mut log = Log {
            numbers: Numbers::default(),
            handles: [0; LOGGED],
        };
        let since = |log: &Log, seen| -> Option<Vec<Handle>> {
            Some(log.communicators_since(seen)?.collect())
        };
        assert_eq!(since(&log, 0), Some(vec![]));
        (1..=LOGGED).for_each(|comm| log.free(comm));
        assert_eq!(since(&log, 0), Some((1..=LOGGED).collect()));
        log.free(77);
        assert_eq!(since(&log, 0), None);
        assert_eq!(since(&log, 1).as_deref().and_then(<[_]>::last), Some(&77));
        assert_eq!(since(&log, LOGGED as u64), Some(vec![77]));
    }
}
