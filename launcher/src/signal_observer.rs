//! Tells signals to the whole process group from signals to this process alone.
//!
//! A process cannot see by itself whether a signal was sent to its group. So a second process of
//! the group, the observer, reports every signal that it gets. A signal that reaches the observer
//! too was sent to the group, and has reached the launcher as well.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::fs;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// The signals that are passed on to the job, unless they were ignored when this process started.
const FORWARDED: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// The signals that are passed on to the job. A signal that this process ignores from its start, as
/// SIGHUP under `nohup` and SIGINT in the background of a shell, is not passed on: this process and
/// the job go on ignoring it.
pub(crate) fn forwarded() -> &'static [i32] {
    static HEARD: LazyLock<Vec<i32>> = LazyLock::new(|| {
        let forwarded = FORWARDED.iter().copied();
        forwarded.filter(|&signal| is_heard(signal)).collect()
    });
    &HEARD
}

/// Whether this process did not ignore `signal` when it started.
pub(crate) fn is_heard(signal: i32) -> bool {
    static IGNORED: LazyLock<u64> = LazyLock::new(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        ignored(&status)
    });
    *IGNORED >> (signal - 1) & 1 == 0
}

/// The set of ignored signals in the text of `/proc/PID/status`, in which bit n - 1 stands for
/// signal n.
fn ignored(status: &str) -> u64 {
    let mut lines = status.lines();
    let set = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or(0)
}

/// The internal command that makes this program the observer.
pub(crate) const COMMAND: &str = "observe-signals";

/// Longest time from the arrival of a group's signal here to the observer's report of that signal.
/// Chosen by hand; not measured.
const GRACE: Duration = Duration::from_millis(100);

/// The observer, seen from the process that started it.
pub(crate) struct SignalObserver {
    /// The process and its reports; `None` where it could not be started. No signal counts as seen
    /// then.
    process: Option<(Child, Receiver<i32>)>,
    /// Reported signals that no call of [`SignalObserver::saw`] has asked for yet, and when they
    /// were reported.
    reported: Vec<(i32, Instant)>,
}

impl SignalObserver {
    /// Starts the observer.
    pub(crate) fn start() -> Self {
        Self {
            process: spawn().ok(),
            reported: Vec::new(),
        }
    }

    /// Whether the observer has got a signal that has just arrived here.
    pub(crate) fn saw(&mut self, signal: i32) -> bool {
        let Some((_, seen)) = &self.process else {
            return false;
        };
        let deadline = Instant::now() + GRACE;
        self.reported.retain(|(_, at)| at.elapsed() < GRACE);
        loop {
            if let Some(found) = self.reported.iter().position(|(other, _)| *other == signal) {
                self.reported.remove(found);
                return true;
            }
            match seen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(other) => self.reported.push((other, Instant::now())),
                Err(_) => return false,
            }
        }
    }
}

impl Drop for SignalObserver {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.process {
            // The observer ends at the end of its standard input.
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

fn spawn() -> io::Result<(Child, Receiver<i32>)> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let (sender, seen) = mpsc::channel();
    // Without a thread no signal counts as seen.
    let _ = thread::Builder::new().spawn(move || {
        let mut byte = [0];
        while stdout.read_exact(&mut byte).is_ok() && sender.send(byte[0].into()).is_ok() {}
    });
    Ok((child, seen))
}

/// Acts as the observer: writes the number of every signal that arrives, as one byte, until the end
/// of standard input.
///
/// # Errors
/// Signals cannot be caught.
pub(crate) fn observe() -> io::Result<()> {
    let mut signals = Signals::new(forwarded())?;
    thread::Builder::new().spawn(move || {
        for signal in &mut signals {
            let byte = [u8::try_from(signal).unwrap_or_default()];
            let mut stdout = io::stdout();
            // Writing fails only when the other process has ended.
            let _ = stdout.write_all(&byte).and_then(|()| stdout.flush());
        }
    })?;
    io::copy(&mut io::stdin(), &mut io::sink()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status_of_a_process() {
        let set = ignored("Name:\tx\nSigBlk:\t0000000000000004\nSigIgn:\t0000000000001001\n");
        assert_eq!(set, 1 << (SIGHUP - 1) | 1 << 12);
        assert_eq!(ignored("Name:\tx\n"), 0);
    }
}
