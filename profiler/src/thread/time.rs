//! Time inside MPI, measured only if the user has asked for it.

use super::this;
use crate::epoch;
use rankfold_profile::CallClass;
use rankfold_profile::journal::Key;
use std::time::{Duration, Instant};

/// Measures the time of one call, and adds it to its class when dropped.
pub(crate) struct Clock {
    class: CallClass,
    start: Instant,
}

impl Clock {
    /// `None` for calls without a class, and while calls are not timed.
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

/// Adds the time of one call to its class.
pub(crate) fn spent(class: CallClass, elapsed: Duration) {
    let nanoseconds = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
    this().count(Key::Time(class), nanoseconds);
}
