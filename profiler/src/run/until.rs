//! The end of counting before the end of the run, where the launcher wants the first part of the
//! run only.

use crate::config::Config;
use crate::epoch;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread;

/// Starts a thread that ends counting when the time has come.
pub(super) fn schedule(config: &Config) {
    let Some(until) = config.until else { return };
    without_signals(|| {
        // If no thread can be started, the whole run is counted.
        let _ = thread::Builder::new()
            .name("rankfold".into())
            .spawn(move || {
                thread::sleep(until);
                epoch::pause();
            });
    });
}

/// Does `work` with all signals blocked. A thread that `work` starts inherits that, so the signals
/// of the process go to the threads of the program.
fn without_signals(work: impl FnOnce()) {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: `all` has room for a set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: `sigfillset` has filled the first set, and `before` has room for a set.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr()) };
    work();
    // SAFETY: the first call of `pthread_sigmask` has filled the set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
}
