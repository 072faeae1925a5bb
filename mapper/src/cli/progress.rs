//! How far a long piece of work is, on a terminal: what it is at, steps done, their rate and the
//! time left.

use super::terminal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Work that is shorter shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Between two looks of what is shown.
const TICK: Duration = Duration::from_millis(200);

const STEPS: &str = "{spinner} {wide_msg} {pos}/{len} {per_sec:>10} {elapsed:>4}, about {eta} left";
const CLOCK: &str = "{spinner} {wide_msg} {elapsed:>4}, {eta} left";

/// A line of progress. It is gone when this is dropped, and appears only where standard error is a
/// terminal and notes are wanted.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// The end of the work by the clock, where that ends it.
    clock: Option<(Instant, Duration)>,
    /// Dropped at the end, which tells the thread that shows the line.
    _ended: Sender<()>,
}

impl Progress {
    /// Of work in steps, whose number may grow as it goes on.
    #[must_use]
    pub fn of_steps(steps: u64) -> Self {
        Self::new(steps, None, STEPS)
    }

    /// Of work that ends by the clock.
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
            std::thread::spawn(move || {
                if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    // Hidden still where this is no terminal.
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

    /// So many more steps are to come.
    pub fn more(&self, steps: usize) {
        if self.clock.is_none() {
            self.bar.inc_length(steps as u64);
        }
    }

    /// A step begins.
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
