//! Passes signals to `rankfold` on to the job that it runs.

use crate::signal_observer::{SignalObserver, forwarded, is_heard};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag::{register, register_conditional_default};
use signal_hook::iterator::exfiltrator::origin::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, LazyLock};
use std::thread;

/// The signals that ask a process to end.
const ENDING: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Whether the signals in [`ENDING`] end this process: true while it runs no job. Signals that this
/// process ignores from its start never end it.
static NO_JOB: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let no_job = Arc::new(AtomicBool::new(true));
    for &signal in ENDING.iter().filter(|signal| forwarded().contains(signal)) {
        // A signal whose handler cannot be set stays ignored between two jobs.
        let _ = register_conditional_default(signal, Arc::clone(&no_job));
    }
    no_job
});

/// Whether a signal in [`ENDING`] has arrived while a job ran.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Makes a write beyond the limit on the size of files fail with an error, as on a full disk. The
/// signal would end this process otherwise. A program that this process starts gets the signal as
/// ever, since no handler outlives the start of a program.
pub(crate) fn survive_size_limit() {
    if is_heard(SIGXFSZ) {
        // Without a handler the signal ends this process.
        let _ = register(SIGXFSZ, Arc::default());
    }
}

/// Whether a signal has asked for the end while a job ran.
pub(crate) fn asked_for_the_end() -> bool {
    ASKED.load(Ordering::Acquire)
}

/// Lets the signals in [`ENDING`] end this process until the next job begins. They stay ignored
/// after a job otherwise, so that a second Ctrl-C does not stop the collection of the profile.
pub(crate) fn let_end() {
    NO_JOB.store(true, Ordering::Release);
}

/// Catches signals from its creation on, and passes them to the job once that has started.
pub(crate) struct Forwarder {
    handle: Handle,
    /// Tells the thread that passes signals on which process they are for.
    job: Sender<Pid>,
    ending: Arc<AtomicI32>,
}

impl Forwarder {
    /// Begins to catch signals. The thread for them starts here, before the job: what fails after
    /// the start of the job cannot be made good by starting the job as it is.
    ///
    /// A signal to the whole process group has reached the child already. It is not passed on,
    /// since some launchers abort at the second SIGINT and some programs write a checkpoint at
    /// every SIGUSR1. A signal without a sending process comes from the terminal, which signals the
    /// group. For other signals the observer decides.
    ///
    /// # Errors
    /// Signals cannot be caught.
    pub(crate) fn new() -> io::Result<Self> {
        NO_JOB.store(false, Ordering::Release);
        let mut signals = SignalsInfo::<WithOrigin>::new(forwarded())?;
        let handle = signals.handle();
        let mut observer = SignalObserver::start();
        let ending = Arc::<AtomicI32>::default();
        let last = Arc::clone(&ending);
        let (job, started) = mpsc::channel();
        thread::Builder::new().spawn(move || {
            let Ok(child) = started.recv() else { return };
            for origin in &mut signals {
                if ENDING.contains(&origin.signal) {
                    last.store(origin.signal, Ordering::Release);
                    ASKED.store(true, Ordering::Release);
                }
                let shared = observer.saw(origin.signal);
                if origin.process.is_some()
                    && !shared
                    && let Some(signal) = Signal::from_named_raw(origin.signal)
                {
                    // This fails if the child has just ended, and no signal is needed then.
                    let _ = kill_process(child, signal);
                }
            }
        })?;
        Ok(Self {
            handle,
            job,
            ending,
        })
    }

    /// The last signal of [`ENDING`] that has arrived; 0 before the first.
    pub(crate) fn ending(&self) -> Arc<AtomicI32> {
        Arc::clone(&self.ending)
    }

    /// Passes all signals since the creation of this value on to `child`, until the guard is
    /// dropped.
    pub(crate) fn to(self, child: Pid) -> Guard {
        // The thread waits for this.
        let _ = self.job.send(child);
        Guard {
            handle: self.handle,
        }
    }
}

/// Stops the forwarding when dropped.
pub(crate) struct Guard {
    handle: Handle,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.handle.close();
    }
}
