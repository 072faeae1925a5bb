//! A progress line on the terminal: the current step, the number of steps done, their rate and the
//! time left.

use crate::terminal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Work that ends within this time shows no progress line. Chosen by hand.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two updates of the line. Chosen by hand.
const TICK: Duration = Duration::from_millis(200);

const STEPS: &str = "{spinner} {wide_msg} {pos}/{len} {per_sec:>10} {elapsed:>4}, about {eta} left";
const CLOCK: &str = "{spinner} {wide_msg} {elapsed:>4}, {eta} left";

/// A progress line on standard error. Dropping this value removes the line. Nothing is shown with
/// `--quiet` or where standard error is no terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Start and length of the work, if a time limit ends it.
    clock: Option<(Instant, Duration)>,
    /// Dropping this sender stops the thread that waits to show the line.
    _ended: Sender<()>,
}

impl Progress {
    /// Progress of work in steps. [`more`](Self::more) may add steps later.
    #[must_use]
    pub fn of_steps(steps: u64) -> Self {
        Self::new(steps, None, STEPS)
    }

    /// Progress of work that ends after `time`.
    #[must_use]
    pub fn until(time: Duration) -> Self {
        let length = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self::new(length, Some((Instant::now(), time)), CLOCK)
    }

    fn new(length: u64, clock: Option<(Instant, Duration)>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (ended, end) = channel();
        if !terminal::is_quiet() {
            let bar = bar.clone();
            // Without a thread no progress is shown.
            let _ = std::thread::Builder::new().spawn(move || {
                if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    // indicatif keeps the line hidden where standard error is no terminal.
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        Self {
            bar,
            clock,
            _ended: ended,
        }
    }

    /// Adds steps that are still to come.
    pub fn more(&self, steps: usize) {
        if self.clock.is_none() {
            self.bar.inc_length(steps as u64);
        }
    }

    /// Notes that the step called `what` begins.
    pub fn step(&self, what: String) {
        match self.clock {
            None => self.bar.inc(1),
            Some((start, time)) => {
                let gone = start.elapsed().min(time);
                let gone = u64::try_from(gone.as_millis()).unwrap_or(u64::MAX);
                self.bar.set_position(gone);
            }
        }
        self.bar.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_and_their_number_grows() {
        let progress = Progress::of_steps(1);
        progress.step("first".into());
        progress.more(2);
        progress.step("second".into());
        assert_eq!(
            (progress.bar.position(), progress.bar.length()),
            (2, Some(3))
        );
        assert_eq!(progress.bar.message(), "second");
    }
}
