//! Whether a call comes from the program or from inside another MPI call.

use super::{Thread, this};
use rankfold_preload::stack;
use std::cell::Cell;
use std::{mem, ptr};

/// Marks a thread as inside MPI, once it has entered, until dropped. It stays where it is from then
/// on.
///
/// Meanwhile the state of the thread is the address of the guard, in the frame of the exported
/// function: no epoch looks like an address. A `longjmp` out of MPI drops nothing, and leaves the
/// state behind with an address at which other frames have come to lie.
pub(crate) struct Guard(Cell<Option<&'static Thread>>);

impl Guard {
    /// Of no thread yet.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Marks this thread; `false` inside another call: only the outermost is the program's own.
    #[inline(always)]
    pub(crate) fn enter(&self) -> bool {
        let thread = this();
        let outside = thread.state.get() == thread.epoch.get() || self.comes_after_one_left(thread);
        if outside {
            self.hold(thread);
        }
        outside
    }

    /// Marks a thread that is known to be in no other call.
    #[inline(always)]
    pub(crate) fn hold(&self, thread: &'static Thread) {
        self.0.set(Some(thread));
        thread
            .state
            .set(ptr::from_ref(self).expose_provenance() as u64);
    }

    /// Ends what it has marked, the thread it holds. Dropping it does the same after asking it for
    /// the thread.
    #[inline(always)]
    pub(crate) fn leave(self, thread: &'static Thread) {
        thread.state.set(thread.epoch.get());
        mem::forget(self);
    }

    /// Whether the guard whose address is the state of the thread is gone although it was never
    /// dropped. Calls from inside lie deeper on the stack than the guard, which stays unchanged
    /// meanwhile, in a frame of this library's that is still under way.
    #[cold]
    fn comes_after_one_left(&self, thread: &'static Thread) -> bool {
        let (held, here) = (thread.state.get() as usize, ptr::from_ref(self).addr());
        let (lowest, end) = thread.stack();
        // Programs may have stacks of their own making, which say nothing here and may be gone.
        if !(lowest..end).contains(&held) || !(lowest..end).contains(&here) {
            return false;
        }
        if here >= held {
            return true;
        }
        // SAFETY: the address is that of a guard, so aligned, and on the stack of this thread, of
        // which no page is ever unmapped while it lives; any bytes are an integer.
        let found = unsafe { ptr::with_exposed_provenance::<usize>(held).read_volatile() };
        if found != ptr::from_ref(thread).addr() {
            return true;
        }
        // The same two again, as of a tool that wraps every call: walking up the stack takes a
        // microsecond.
        if thread.inside.get() != (held, here) {
            if !stack::is_under_way(held) {
                return true;
            }
            thread.inside.set((held, here));
        }
        false
    }
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(thread) = self.0.get() {
            thread.state.set(thread.epoch.get());
        }
    }
}
