//! Whether a call comes from the program or from inside another MPI call.

use super::{Thread, this};

/// The state of a thread that is inside an MPI call, in the place of an epoch: no epoch is this number.
const INSIDE: u64 = u64::MAX;

/// Marks this thread as inside MPI until dropped.
pub(crate) struct Guard(&'static Thread);

impl Guard {
    /// `None` inside another call: only the outermost is the program's own.
    #[inline(always)]
    pub(crate) fn enter() -> Option<Self> {
        let thread = this();
        // Not `then_some`: a guard that is made and thrown away would mark the thread as outside when dropped.
        (thread.state.get() != INSIDE).then(|| Self::outermost(thread))
    }

    /// For a thread that is known to be in no other call.
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
