//! The end of counting before the end of the run, where only its first part is wanted.

use crate::config::Config;
use crate::epoch;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread;

/// Ends counting when the time has come. Nothing is counted any more then, and nothing is looked
/// at.
pub(super) fn schedule(config: &Config) {
    let Some(until) = config.until else { return };
    without_signals(|| {
        // Where no thread can be had, all of the run is counted.
        let _ = thread::Builder::new()
            .name("rankfold".into())
            .spawn(move || {
                thread::sleep(until);
                epoch::pause();
            });
    });
}

/// Does `work` with all signals blocked, as a thread that is made there will have them: signals are
/// the program's.
fn without_signals(work: impl FnOnce()) {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: the set is a variable on this stack, and is filled.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: `sigfillset` has filled the first set, and the second one is a variable on this
    // stack.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr()) };
    work();
    // SAFETY: the first call has filled the set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
}
