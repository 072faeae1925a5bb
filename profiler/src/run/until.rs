//! The end of counting before the end of the run, where the launcher wants the first part of the
//! run only.

use crate::config::Config;
use crate::epoch;
use rankfold_preload::signal_mask;
use std::mem::MaybeUninit;
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
    // SAFETY: `all` has room for a set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: `sigfillset` has filled the set.
    let all = unsafe { all.assume_init() };
    let before = signal_mask::change(libc::SIG_BLOCK, Some(&all));
    work();
    signal_mask::change(libc::SIG_SETMASK, Some(&before));
}
