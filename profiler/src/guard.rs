//! Whether a call comes from the program or from inside another MPI call.

use crate::thread::{self, Thread};

/// Stands for an epoch in the state of a thread that is inside an MPI call; no epoch is this number.
const INSIDE: u64 = u64::MAX;

/// Marks this thread as inside MPI until dropped.
pub(crate) struct Guard(&'static Thread);

impl Guard {
    /// `None` inside another call: only the outermost is the program's own.
    #[inline(always)]
    pub(crate) fn enter() -> Option<Self> {
        let thread = thread::this();
        // Not `then_some`: a guard made in vain would leave when dropped.
        (thread.state.get() != INSIDE).then(|| Self::outermost(thread))
    }

    /// For a thread that is in no other call.
    #[inline(always)]
    pub(crate) fn outermost(thread: &'static Thread) -> Self {
        thread.state.set(INSIDE);
        Self(thread)
    }
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.state.set(self.0.epoch.get());
    }
}
