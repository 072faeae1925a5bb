//! Time inside MPI, kept only when asked for.

use super::this;
use crate::epoch;
use rankfold_profile::CallClass;
use rankfold_profile::journal::Key;
use std::time::{Duration, Instant};

/// Takes the time of one call, and adds it when dropped.
pub(crate) struct Clock {
    class: CallClass,
    start: Instant,
}

impl Clock {
    /// `None` for calls of no class, and unless calls are timed now.
    #[inline(always)]
    pub(crate) fn start(class: Option<CallClass>) -> Option<Self> {
        let class = class.filter(|_| epoch::timing())?;
        Some(Self {
            class,
            start: Instant::now(),
        })
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        let elapsed = self.start.elapsed();
        this().catch_up();
        spent(self.class, elapsed);
    }
}

/// Adds the time of one call.
pub(crate) fn spent(class: CallClass, elapsed: Duration) {
    let nanoseconds = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
    this().count(Key::Time(class), nanoseconds);
}
