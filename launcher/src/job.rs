//! Runs a launch to its end, in the user's place: same streams, same signals, same exit status.

use crate::error::LaunchError;
use crate::signals::Forwarder;
use anyhow::Context;
use rustix::process::Pid;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time between two calls of the watcher.
const LOOK: Duration = Duration::from_millis(50);

/// Runs `words` to their end and returns the exit status as a shell would. Meanwhile `watch` is
/// called now and then, until it says that it has seen enough; it is told whether a signal has
/// asked for an end.
pub(crate) fn run(
    words: &[OsString],
    watch: impl FnMut(bool) -> bool + Send,
) -> anyhow::Result<u8> {
    run_until(words, watch, |_, _| ())
}

/// As [`run`]; `interrupted` is called now and then if the job has ended, `watch` has not, and a
/// signal asks for an end: with the job's exit status and the signal.
pub(crate) fn run_until(
    words: &[OsString],
    watch: impl FnMut(bool) -> bool + Send,
    interrupted: impl FnMut(u8, i32),
) -> anyhow::Result<u8> {
    let mut command = Command::new(&words[0]);
    run_with(command.args(&words[1..]), |_| {}, watch, interrupted)
}

/// As [`run_until`], for a command whose streams may be others; `begun` is given the process once
/// it runs.
pub(crate) fn run_with(
    command: &mut Command,
    begun: impl FnOnce(&mut Child),
    mut watch: impl FnMut(bool) -> bool + Send,
    mut interrupted: impl FnMut(u8, i32),
) -> anyhow::Result<u8> {
    // Caught from before the start, or a signal in between would end us and not the job.
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
        scope.spawn(move || {
            look(&end, || watch(signal() != 0));
            drop(seen);
        });
        let status = child.wait().map(as_shell);
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

/// Calls `watch` until it has seen enough or the job has ended, which `end` tells by closing.
fn look(end: &mpsc::Receiver<()>, mut watch: impl FnMut() -> bool) {
    while !watch() && end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {}
}

/// The exit status as a shell reports it: signal N is 128 + N.
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
