//! A limit for the time of a rank: a rank that waits inside MPI for ranks that have ended would
//! wait for ever.

use rankfold_console::terminal;
use rustix::process::{Signal, getpid, kill_process};
use std::thread;
use std::time::Duration;

/// Kills this process after `limit`. No other way gets a thread out of a call of MPI. The launcher
/// then ends the other ranks.
pub(crate) fn end_after(limit: Duration) {
    thread::spawn(move || {
        thread::sleep(limit);
        terminal::warning(format_args!(
            "a rank was not done within {} s",
            limit.as_secs()
        ));
        let _ = kill_process(getpid(), Signal::KILL);
    });
}
