//! Long work without the interpreter: other threads of Python run meanwhile, and Ctrl-C is heard.

use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long Ctrl-C may go unheard.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether somebody still waits for the result of some work.
#[derive(Clone, Default)]
pub(crate) struct Wanted(Arc<AtomicBool>);

/// What unwinds the stack of work that nobody waits for any more.
struct Unwanted;

impl Wanted {
    /// Ends the calling work if nobody waits for it. Work calls this between its steps.
    pub(crate) fn check(&self) {
        if self.0.load(Ordering::Relaxed) {
            // No panic hook runs: this is no error that anybody should read about.
            resume_unwind(Box::new(Unwanted));
        }
    }
}

/// Runs `work` on a thread of its own and waits for it. A signal that raises an exception in
/// Python, such as Ctrl-C, ends the wait at once, and the work at its next [`Wanted::check`].
pub(crate) fn wait_for<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce(&Wanted) -> T + Send + 'static,
{
    let wanted = Wanted::default();
    let (finished, result) = channel();
    let theirs = wanted.clone();
    thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&theirs)));
        // Nobody receives it after an exception.
        let _ = finished.send(done);
    });
    let done: PyResult<thread::Result<T>> = py.detach(move || {
        loop {
            match result.recv_timeout(PATIENCE) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Timeout) => {
                    let signalled = Python::attach(|py| -> PyResult<()> { py.check_signals() });
                    wanted.0.store(signalled.is_err(), Ordering::Relaxed);
                    signalled?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("the thread sends its result or what it panicked with")
                }
            }
        }
    });
    Ok(done?.unwrap_or_else(|panic| resume_unwind(panic)))
}
