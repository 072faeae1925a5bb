//! Another process of our group, which tells what signals it gets: one that reaches it as well as
//! us was sent to the whole group, and so to the launcher too. No process can find that out by
//! itself.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// The signals that are passed on to the job.
pub(crate) const FORWARDED: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// The hidden command by which this program is its own witness.
pub(crate) const COMMAND: &str = "witness";

/// Within this time a signal to a group has reached all its processes, and the witness has told.
const GRACE: Duration = Duration::from_millis(100);

/// What the witness has told and nobody has asked for.
pub(crate) struct SignalObserver {
    /// `None` where it could not be started: then no signal counts as seen.
    process: Option<(Child, Receiver<i32>)>,
    told: Vec<(i32, Instant)>,
}

impl SignalObserver {
    /// Starts the witness.
    pub(crate) fn call() -> Self {
        Self {
            process: start().ok(),
            told: Vec::new(),
        }
    }

    /// Whether the witness has seen a signal that has just been caught here.
    pub(crate) fn saw(&mut self, signal: i32) -> bool {
        let Some((_, seen)) = &self.process else {
            return false;
        };
        let deadline = Instant::now() + GRACE;
        self.told.retain(|(_, at)| at.elapsed() < GRACE);
        loop {
            if let Some(found) = self.told.iter().position(|(told, _)| *told == signal) {
                self.told.remove(found);
                return true;
            }
            match seen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(told) => self.told.push((told, Instant::now())),
                Err(_) => return false,
            }
        }
    }
}

impl Drop for SignalObserver {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.process {
            // It ends when its standard input does.
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

fn start() -> io::Result<(Child, Receiver<i32>)> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let (sender, seen) = mpsc::channel();
    thread::spawn(move || {
        let mut byte = [0];
        while stdout.read_exact(&mut byte).is_ok() && sender.send(byte[0].into()).is_ok() {}
    });
    Ok((child, seen))
}

/// What the witness does: writes the number of every signal it gets, until its standard input ends.
///
/// # Errors
/// The system refuses to hand it signals.
pub(crate) fn observe() -> io::Result<()> {
    let mut signals = Signals::new(FORWARDED)?;
    thread::spawn(move || {
        for signal in &mut signals {
            let byte = [u8::try_from(signal).unwrap_or_default()];
            let mut stdout = io::stdout();
            // Who does not listen any more does not care.
            let _ = stdout.write_all(&byte).and_then(|()| stdout.flush());
        }
    });
    io::copy(&mut io::stdin(), &mut io::sink()).map(drop)
}
