//! The signals that a thread blocks.

use libc::{c_int, sigset_t};
use std::mem::MaybeUninit;
use std::ptr;

/// The set that holds one signal, which must exist.
#[must_use]
pub fn only(signal: c_int) -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `set` has room for a set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: `sigemptyset` has initialised the set.
    unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
    // SAFETY: `sigemptyset` has initialised the set.
    unsafe { set.assume_init() }
}

/// Changes which signals this thread blocks, and returns the set that was in force before. `how` is
/// `SIG_BLOCK`, `SIG_UNBLOCK` or `SIG_SETMASK`. Without a set nothing is changed.
pub fn change(how: c_int, set: Option<&sigset_t>) -> sigset_t {
    let mut before = MaybeUninit::uninit();
    let set = set.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the set is null or alive, and `before` has room for a set.
    unsafe { libc::pthread_sigmask(how, set, before.as_mut_ptr()) };
    // SAFETY: the call above has filled the set: it fails only when its first argument is unknown.
    unsafe { before.assume_init() }
}
