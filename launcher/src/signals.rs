//! Passes signals on to the job: whoever signals `rankfold` means the program it started.

use crate::signal_observer::{FORWARDED, SignalObserver};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::exfiltrator::origin::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;

/// Those that ask for an end.
const ENDING: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Whether this process ends by signals that ask for an end, as it did before it caught any.
static NO_JOB: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let no_job = Arc::new(AtomicBool::new(true));
    for &signal in ENDING {
        // Where that is refused, signals in between are lost.
        let _ = register_conditional_default(signal, Arc::clone(&no_job));
    }
    no_job
});

/// From now on, until the next job, signals that ask for an end are meant for this process. Without
/// it they stay ignored when a job has ended: who has told it to end twice still gets what it has
/// left.
pub(crate) fn let_end() {
    NO_JOB.store(true, Ordering::Release);
}

/// Catches signals from its creation on; passes them to a child once there is one.
pub(crate) struct Forwarder {
    signals: SignalsInfo<WithOrigin>,
    witness: SignalObserver,
    ending: Arc<AtomicI32>,
}

impl Forwarder {
    pub(crate) fn new() -> io::Result<Self> {
        NO_JOB.store(false, Ordering::Release);
        Ok(Self {
            signals: SignalsInfo::new(FORWARDED)?,
            witness: SignalObserver::call(),
            ending: Arc::default(),
        })
    }

    /// The signal that has asked for an end; 0 until one does.
    pub(crate) fn ending(&self) -> Arc<AtomicI32> {
        Arc::clone(&self.ending)
    }

    /// Passes on what came already and what will come, until the guard is dropped.
    ///
    /// A signal to the whole process group, from the terminal or from whoever started us, has
    /// reached the child already, and a second one would double what it asks for: some launchers
    /// abort at the second SIGINT, some programs write a checkpoint at every SIGUSR1. One without a
    /// sending process is the terminal's; of others the witness tells.
    pub(crate) fn to(mut self, child: Pid) -> Guard {
        let handle = self.signals.handle();
        thread::spawn(move || {
            for origin in &mut self.signals {
                if ENDING.contains(&origin.signal) {
                    self.ending.store(origin.signal, Ordering::Release);
                }
                let shared = self.witness.saw(origin.signal);
                if origin.process.is_some()
                    && !shared
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
