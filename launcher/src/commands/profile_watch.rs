//! Uses the profile of a job while the job still runs.

use crate::harvest::{self, Gathered};
use crate::session::Session;
use rankfold_console::terminal;
use rankfold_launch::launch::Launch;
use rankfold_wire::Profile;
use std::path::Path;
use std::time::{Duration, Instant};

/// Waits for the profile of a running job, and calls a function with it once.
pub(super) struct ProfileWatch<'a> {
    /// The length of the first part of the run that is profiled; `None` for the whole run.
    pub(super) after: Option<Duration>,
    /// The function to call.
    then: &'a mut (dyn FnMut(&Profile) + Send),
    /// When the first rank was seen in `MPI_Init`.
    begun: Option<Instant>,
    started: Instant,
    /// Whether the function was called, or never will be.
    done: bool,
}

impl<'a> ProfileWatch<'a> {
    /// Prepares to call `then` once: with the profile of the first part of the run, `after` the
    /// beginning, or else with the profile of the whole run as soon as rank 0 has written it.
    pub(super) fn new(after: Option<Duration>, then: &'a mut (dyn FnMut(&Profile) + Send)) -> Self {
        Self {
            after,
            then,
            begun: None,
            started: Instant::now(),
            done: false,
        }
    }

    /// Looks for the profile. To be called again and again while the job runs.
    pub(super) fn look(&mut self, session: &Session, launch: &Launch) {
        /// Ranks stop counting a time after their own start, which may be later by this than the
        /// start seen here. Chosen by hand; not measured.
        const LATER: Duration = Duration::from_secs(1);
        /// The ranks of hosts that share no directory with this host leave no mark. They are
        /// assumed to have started after this time. Chosen by hand; not measured.
        const LATE: Duration = Duration::from_secs(60);
        if self.done {
            return;
        }
        let written = session.profile();
        if written.is_file() {
            self.done = true;
            if let Ok(profile) = Profile::read(&written) {
                (self.then)(&profile);
            }
            return;
        }
        let Some(after) = self.after else { return };
        if self.begun.is_none() && (session.has_begun() || self.started.elapsed() > LATE) {
            self.begun = Some(Instant::now());
        }
        if self
            .begun
            .is_some_and(|begun| begun.elapsed() > after + LATER)
        {
            let (at, scratch) = (Path::new("."), session.directory());
            match harvest::gather(&session.traces, &written, Some((launch, at)), scratch) {
                Ok(Gathered {
                    harvest: Some(harvest),
                    ..
                }) => {
                    self.done = true;
                    (self.then)(&harvest.profile);
                }
                // No journal can be read yet: the next attempt follows after the same time.
                Ok(_) => self.begun = Some(Instant::now()),
                Err(error) => {
                    self.done = true;
                    terminal::warning(format_args!("the whole run is profiled: {error:#}"));
                }
            }
        }
    }
}
