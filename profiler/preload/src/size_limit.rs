//! Writing files where the system limits their size. A write beyond the limit sends SIGXFSZ, which
//! would end the program.

use crate::signal_mask::{self, only};
use libc::{SIGXFSZ, timespec};
use std::ptr;

/// Runs `write` with SIGXFSZ blocked, so that a write beyond the limit fails with an error and has
/// no other effect.
pub fn only_refuses<T>(write: impl FnOnce() -> T) -> T {
    let signal = only(SIGXFSZ);
    let before = signal_mask::change(libc::SIG_BLOCK, Some(&signal));
    let pending_before = pending();
    let result = write();
    if !pending_before && pending() {
        let now = timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the addresses are those of a set and a time, and a null pointer asks for no
        // information on the signal. The signal that is removed is the one that the system sent to
        // this thread for the write.
        unsafe { libc::sigtimedwait(&raw const signal, ptr::null_mut(), &raw const now) };
    }
    signal_mask::change(libc::SIG_SETMASK, Some(&before));
    result
}

/// Whether a SIGXFSZ is pending.
fn pending() -> bool {
    let mut set = only(SIGXFSZ);
    // SAFETY: `set` is an initialised set.
    unsafe { libc::sigpending(&raw mut set) };
    // SAFETY: the set is initialised, and SIGXFSZ exists.
    unsafe { libc::sigismember(&raw const set, SIGXFSZ) == 1 }
}
