//! Writing where the size of files is limited: the system refuses, and sends SIGXFSZ, which ends the program.

use libc::{SIGXFSZ, sigset_t, timespec};
use std::mem::MaybeUninit;
use std::ptr;

/// Runs `write` so that a limit on the size of files is nothing but an error of it.
pub(crate) fn only_refuses<T>(write: impl FnOnce() -> T) -> T {
    let signal = signal();
    let mut before = MaybeUninit::uninit();
    // SAFETY: a set, and room for another, which is always filled: the operation is a known one.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signal, before.as_mut_ptr()) };
    // SAFETY: filled by the call above.
    let before = unsafe { before.assume_init() };
    let theirs = pending();
    let result = write();
    if !theirs && pending() {
        let now = timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: a set and a time; takes the signal, which the system sent to this thread.
        unsafe { libc::sigtimedwait(&raw const signal, ptr::null_mut(), &raw const now) };
    }
    // SAFETY: the set that was in force before.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    result
}

/// The set of SIGXFSZ alone.
fn signal() -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: room for a set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: initialised above; the signal exists.
    unsafe { libc::sigaddset(set.as_mut_ptr(), SIGXFSZ) };
    // SAFETY: initialised above.
    unsafe { set.assume_init() }
}

/// Whether a SIGXFSZ waits to be delivered.
fn pending() -> bool {
    let mut set = signal();
    // SAFETY: room for a set, which is written whole.
    unsafe { libc::sigpending(&raw mut set) };
    // SAFETY: as above.
    unsafe { libc::sigismember(&raw const set, SIGXFSZ) == 1 }
}
