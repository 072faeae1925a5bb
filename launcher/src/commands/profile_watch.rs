//! What is done with a profile while the job that leaves it still runs.

use crate::harvest::{self, Gathered};
use crate::launch::Launch;
use crate::session::Session;
use rankfold_mapper::cli::terminal;
use rankfold_profile::Profile;
use std::path::Path;
use std::time::{Duration, Instant};

/// What to do with the profile of a job that has not ended yet.
pub(super) struct ProfileWatch<'a> {
    /// The part of the run that is profiled; all of it, unless told.
    pub(super) after: Option<Duration>,
    then: &'a mut (dyn FnMut(&Profile) + Send),
    /// When the ranks were first seen.
    begun: Option<Instant>,
    started: Instant,
    done: bool,
}

impl<'a> ProfileWatch<'a> {
    /// Calls `then` once: with the profile of the first part of the run when that has passed, or
    /// with the whole one as soon as it is written.
    pub(super) fn new(after: Option<Duration>, then: &'a mut (dyn FnMut(&Profile) + Send)) -> Self {
        Self {
            after,
            then,
            begun: None,
            started: Instant::now(),
            done: false,
        }
    }

    /// Called now and then while the job runs.
    pub(super) fn look(&mut self, session: &Session, launch: &Launch) {
        /// Ranks stop counting so long after their own start, which is later than ours.
        const LATER: Duration = Duration::from_secs(1);
        /// Where ranks leave no mark, as their hosts share no directory with this one, they are
        /// taken to have begun so late.
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
                // Later, perhaps.
                Ok(_) => self.begun = Some(Instant::now()),
                Err(error) => {
                    self.done = true;
                    terminal::warning(format_args!("the whole run is profiled: {error:#}"));
                }
            }
        }
    }
}
