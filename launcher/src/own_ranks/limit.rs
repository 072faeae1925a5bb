//! A rank that waits inside MPI for others that are gone would wait for ever.

use rankfold_mapper::cli::terminal;
use rustix::process::{Signal, getpid, kill_process};
use std::thread;
use std::time::Duration;

/// Ends this process when `limit` is over, wherever it is. Nothing else gets a thread out of MPI;
/// the launcher ends the other ranks.
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
