//! Tells whether a call comes from the program or from inside another MPI call.

use super::{Thread, this};
use rankfold_preload::stack;
use std::cell::Cell;
use std::{mem, ptr};

/// Marks a thread as inside MPI, from `enter` or `hold` until it is dropped. It must not move in
/// between.
///
/// While a thread is marked, its state is the address of the guard, which lies in the frame of the
/// exported function. No epoch looks like an address. A `longjmp` out of MPI drops no guard. It
/// leaves the state behind with an address at which other frames come to lie.
pub(crate) struct Guard(Cell<Option<&'static Thread>>);

impl Guard {
    /// A guard that marks no thread.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Marks this thread. Returns `false`, and does nothing, inside another call: only the
    /// outermost call is the program's own.
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

    /// Removes the mark from `thread`, which the guard has marked. Dropping the guard does the
    /// same, but has to read the thread from the guard.
    #[inline(always)]
    pub(crate) fn leave(self, thread: &'static Thread) {
        thread.state.set(thread.epoch.get());
        mem::forget(self);
    }

    /// Whether the guard whose address is the state of the thread is gone without having been
    /// dropped, after a `longjmp`. If the guard exists, calls from inside MPI lie deeper on the
    /// stack, the guard is unchanged, and it lies in a frame of this library whose call is still
    /// under way.
    #[cold]
    fn comes_after_one_left(&self, thread: &'static Thread) -> bool {
        let (held, here) = (thread.state.get() as usize, ptr::from_ref(self).addr());
        let (lowest, end) = thread.stack();
        // Programs may switch to stacks of their own, about which nothing is known here and which
        // may be freed.
        if !(lowest..end).contains(&held) || !(lowest..end).contains(&here) {
            return false;
        }
        if here >= held {
            return true;
        }
        // SAFETY: the address is that of a guard, so it is aligned. It lies on the stack of this
        // thread, no page of which is unmapped while the thread lives. Any bytes are a valid
        // integer.
        let found = unsafe { ptr::with_exposed_provenance::<usize>(held).read_volatile() };
        if found != ptr::from_ref(thread).addr() {
            return true;
        }
        // The answer for these two guards is cached, for tools that wrap every call: a walk up the
        // stack takes a microsecond.
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
