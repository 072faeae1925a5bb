//! Tables of threads that have ended. New threads count on in them, so that a program may start any
//! number of threads one after the other.

use super::counters::Counters;
use super::this;
use libc::{c_void, pthread_key_t};
use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A table to which no thread writes, and the phase for which it counts.
struct Retired {
    phase: u32,
    counters: Counters,
}

// SAFETY: a table belongs to whichever thread holds its counters. The lock makes what the last
// thread wrote visible to the next.
unsafe impl Send for Retired {}

static RETIRED: Mutex<Vec<Retired>> = Mutex::new(Vec::new());

/// Makes sure that the tables of this thread are kept for others when it ends.
pub(super) fn watch() {
    static KEY: OnceLock<Option<pthread_key_t>> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the function lives as long as the process, and the key is a variable on this
        // stack.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) };
        (made == 0).then_some(key)
    });
    if let Some(key) = *key {
        let anything = NonNull::<c_void>::dangling().as_ptr();
        // SAFETY: the key was made above, and the value is only compared with null. If there is no
        // memory for it, the tables of this thread stay unused after its end.
        unsafe { libc::pthread_setspecific(key, anything) };
    }
}

/// The thread ends. If another destructor calls MPI later, the thread starts anew.
unsafe extern "C" fn ended(_: *mut c_void) {
    let thread = this();
    // This comes before the lock is taken, because the burst may need a table.
    thread.close_burst();
    let mut retired = RETIRED.lock().unwrap_or_else(PoisonError::into_inner);
    thread.tables.leave(&mut |phase, counters| {
        // Without memory for the list, the table is not used again.
        if counters.exists() && retired.try_reserve(1).is_ok() {
            retired.push(Retired { phase, counters });
        }
    });
    thread.forget();
}

/// A table of `phase` from a thread that has ended.
pub(super) fn take(phase: u32) -> Option<Counters> {
    let mut retired = RETIRED.lock().unwrap_or_else(PoisonError::into_inner);
    let index = retired.iter().rposition(|left| left.phase == phase)?;
    Some(retired.swap_remove(index).counters)
}
