//! Passes signals on to the job: whoever signals `rankfold` means the program it started.

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::origin::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use std::io;
use std::thread;

const FORWARDED: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// Catches signals from its creation on; passes them to a child once there is one.
pub(crate) struct Forwarder {
    signals: SignalsInfo<WithOrigin>,
}

impl Forwarder {
    pub(crate) fn new() -> io::Result<Self> {
        SignalsInfo::new(FORWARDED).map(|signals| Self { signals })
    }

    /// Passes on what came already and what will come, until the guard is dropped.
    ///
    /// A signal from the terminal (Ctrl-C) has no sending process: it reached the whole foreground process
    /// group, the child included, and a second one would make some launchers abort at once.
    pub(crate) fn to(mut self, child: Pid) -> Guard {
        let handle = self.signals.handle();
        thread::spawn(move || {
            for origin in &mut self.signals {
                if origin.process.is_some()
                    && let Some(signal) = Signal::from_named_raw(origin.signal)
                {
                    // The child may have just ended, which is what the signal asked for.
                    let _ = kill_process(child, signal);
                }
            }
        });
        Guard { handle }
    }
}

/// Ends the forwarding when dropped.
pub(crate) struct Guard {
    handle: Handle,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.handle.close();
    }
}
