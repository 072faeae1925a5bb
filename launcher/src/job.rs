//! Runs a launch to its end as if the user had started it: with the same streams, signals and exit
//! status.

use crate::signals::Forwarder;
use anyhow::Context;
use rankfold_launch::error::LaunchError;
use rustix::process::Pid;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The exit status of the user's program when it has last run, and 1 above it; 0 before that.
static LAST: AtomicU32 = AtomicU32::new(0);

/// The exit status of the user's program when it was last started here; `None` as long as it was
/// not.
pub(crate) fn last_status() -> Option<u8> {
    let status = LAST.load(Ordering::Acquire).checked_sub(1)?;
    u8::try_from(status).ok()
}

/// Whose processes a command starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ranks {
    /// The user's program.
    Program,
    /// This program, by the user's launcher.
    Own,
}

/// Time between two calls of the watcher. Chosen by hand; not measured.
const LOOK: Duration = Duration::from_millis(50);

/// Runs the command `words` to its end and returns the exit status as a shell reports it. While the
/// command runs, `watch` is called every [`LOOK`] until it returns true. Its argument says whether
/// a signal has asked for the end.
///
/// # Errors
/// The command cannot be started, or signals cannot be caught.
pub(crate) fn run(
    words: &[OsString],
    watch: impl FnMut(bool) -> bool + Send,
) -> anyhow::Result<u8> {
    run_until(words, watch, |_, _| ())
}

/// Runs as [`run`] does. If the job has ended, a call of `watch` still goes on and a signal has
/// asked for the end, then `interrupted` is called every [`LOOK`] with the job's exit status and
/// the signal.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_until(
    words: &[OsString],
    watch: impl FnMut(bool) -> bool + Send,
    interrupted: impl FnMut(u8, i32),
) -> anyhow::Result<u8> {
    let mut command = Command::new(&words[0]);
    run_with(
        command.args(&words[1..]),
        Ranks::Program,
        |_| {},
        watch,
        interrupted,
    )
}

/// Runs as [`run_until`] does, with a command that may have other streams. `begun` is called with
/// the process once it runs.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_with(
    command: &mut Command,
    ranks: Ranks,
    begun: impl FnOnce(&mut Child),
    mut watch: impl FnMut(bool) -> bool + Send,
    mut interrupted: impl FnMut(u8, i32),
) -> anyhow::Result<u8> {
    // Signals are caught before the job starts. Otherwise a signal just after the start would end
    // this process and not the job.
    let forwarder = Forwarder::new().context("cannot catch signals")?;
    let mut child = command.spawn().map_err(|source| LaunchError::NotStarted {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    begun(&mut child);
    let ending = forwarder.ending();
    let _forwarding = forwarder.to(Pid::from_child(&child));
    let status = thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        let (seen, looking) = mpsc::channel::<()>();
        let signal = || ending.load(Ordering::Acquire);
        // Without a thread nothing is watched, and the job runs all the same.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            look(&end, || watch(signal() != 0));
            drop(seen);
        });
        let status = child.wait().map(as_shell);
        if ranks == Ranks::Program {
            let status = status.as_ref().map_or(1, |&status| status);
            LAST.store(1 + u32::from(status), Ordering::Release);
        }
        drop(ended);
        while looking.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if let Ok(status) = status
                && signal() != 0
            {
                interrupted(status, signal());
            }
        }
        status
    });
    status.context("cannot wait for the launcher")
}

/// Calls `watch` every [`LOOK`] until it returns true or the job has ended. `end` is closed when
/// the job has ended.
fn look(end: &mpsc::Receiver<()>, mut watch: impl FnMut() -> bool) {
    while !watch() && end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {}
}

/// The exit status as a shell reports it: 128 + N for a process that was ended by signal N.
fn as_shell(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or(status.signal().map(|signal| 128 + signal))
        .unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> u8 {
        run(&["sh", "-c", script].map(OsString::from), |_| true).unwrap()
    }

    #[test]
    fn the_exit_status_is_the_childs() {
        assert_eq!(shell("exit 0"), 0);
        assert_eq!(shell("exit 7"), 7);
        assert_eq!(shell("kill -9 $$"), 137);
    }

    #[test]
    fn a_program_that_does_not_exist_is_bad_input() {
        let error = run(&["./no-such-program".into()], |_| true).unwrap_err();
        assert!(error.is::<LaunchError>(), "{error}");
    }

    #[test]
    fn the_watcher_looks_while_the_child_runs_and_stops_with_it() {
        let mut looks = 0;
        run(&["sleep", "0.3"].map(OsString::from), |_| {
            looks += 1;
            false
        })
        .unwrap();
        assert!(looks >= 2, "{looks}");
    }
}
