//! Time inside MPI, measured only if the user has asked for it.

use super::this;
use crate::epoch;
use rankfold_wire::journal::Key;
use rankfold_wire::{CallClass, TimedFunction};
use std::time::{Duration, Instant};

/// A class of calls, and one of its functions.
pub(crate) type TimedCall = (CallClass, TimedFunction);

/// The call of an exported function; `None` if it has no class.
pub(crate) const fn call_of(class: Option<CallClass>, symbol: &str) -> Option<TimedCall> {
    match class {
        Some(class) => Some((class, TimedFunction::of_symbol(symbol))),
        None => None,
    }
}

/// Measures the time of one call, and adds it to its function when dropped.
pub(crate) struct Clock {
    call: TimedCall,
    start: Instant,
}

impl Clock {
    /// `None` for calls without a class, and while calls are not timed.
    #[inline(always)]
    pub(crate) fn start(call: Option<TimedCall>) -> Option<Self> {
        let call = call.filter(|_| epoch::timing())?;
        this().called.set(Some(call.1));
        Some(Self {
            call,
            start: Instant::now(),
        })
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        let elapsed = self.start.elapsed();
        this().catch_up();
        let (class, function) = self.call;
        spent(class, Some(function), elapsed);
    }
}

/// Adds a time to a function, or to a class without one.
pub(crate) fn spent(class: CallClass, function: Option<TimedFunction>, elapsed: Duration) {
    let nanoseconds = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
    this().count(Key::Time(class, function), nanoseconds);
}
