//! Whether a call comes from the program or from inside another MPI call.

use crate::thread::{self, Thread};

/// Marks this thread as inside MPI until dropped.
pub(crate) struct Guard(&'static Thread);

impl Guard {
    /// `None` inside another call: only the outermost is the program's own.
    #[inline(always)]
    pub(crate) fn enter() -> Option<Self> {
        let thread = thread::this();
        // Not `then_some`: a guard made in vain would leave when dropped.
        (!thread.inside.replace(true)).then(|| Self(thread))
    }
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.inside.set(false);
    }
}
