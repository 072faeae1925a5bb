//! Writing files where the system limits their size. A write beyond the limit sends SIGXFSZ, which
//! would end the program.

use libc::{SIGXFSZ, sigset_t, timespec};
use std::mem::MaybeUninit;
use std::ptr;

/// Runs `write` with SIGXFSZ blocked, so that a write beyond the limit fails with an error and has
/// no other effect.
pub fn only_refuses<T>(write: impl FnOnce() -> T) -> T {
    let signal = signal();
    let mut before = MaybeUninit::uninit();
    // SAFETY: `signal` is an initialised set, and `before` has room for a set.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signal, before.as_mut_ptr()) };
    // SAFETY: the call above has filled the set: it fails only when its first argument is unknown.
    let before = unsafe { before.assume_init() };
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
    // SAFETY: `before` is the set that was in force when this function was called.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    result
}

/// The set that holds SIGXFSZ alone.
fn signal() -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `set` has room for a set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: `sigemptyset` has initialised the set, and SIGXFSZ exists.
    unsafe { libc::sigaddset(set.as_mut_ptr(), SIGXFSZ) };
    // SAFETY: `sigemptyset` has initialised the set.
    unsafe { set.assume_init() }
}

/// Whether a SIGXFSZ is pending.
fn pending() -> bool {
    let mut set = signal();
    // SAFETY: `set` is an initialised set.
    unsafe { libc::sigpending(&raw mut set) };
    // SAFETY: the set is initialised, and SIGXFSZ exists.
    unsafe { libc::sigismember(&raw const set, SIGXFSZ) == 1 }
}
