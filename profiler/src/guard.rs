//! Whether a call comes from the program or from inside another MPI call.

use std::cell::Cell;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Marks this thread as inside MPI until dropped.
pub(crate) struct Guard {
    outer: u32,
}

impl Guard {
    #[inline]
    pub(crate) fn enter() -> Self {
        let outer = DEPTH.get();
        DEPTH.set(outer.wrapping_add(1));
        Self { outer }
    }

    /// Only the outermost call is the program's own.
    #[inline]
    pub(crate) fn outermost(&self) -> bool {
        self.outer == 0
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(self.outer);
    }
}
