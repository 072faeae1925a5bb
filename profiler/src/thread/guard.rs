//! Tells whether a call comes from the program or from inside another MPI call.

use super::{Thread, stacks, this};
use rankfold_preload::stack;
use std::cell::Cell;
use std::{mem, ptr};

/// Marks a thread as inside MPI, from `enter` or `hold` until it is dropped. It must not move in
/// between.
///
/// While a thread is marked, its state is the address of the guard, which lies in the frame of the
/// exported function. No epoch looks like an address. A `longjmp` out of MPI drops no guard. It
/// leaves the state behind with an address at which other frames come to lie. A thread that
/// switches to another stack inside of a call leaves the state behind, too; from then on, guards
/// are kept [by their stacks](stacks).
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
        if thread.state.get() == thread.epoch.get() && !stacks::are_switched() {
            self.hold(thread);
            return true;
        }
        self.enter_closely(thread)
    }

    /// [`Self::enter`] where the state of the thread does not say that the call is an outermost
    /// one.
    #[cold]
    #[inline(never)]
    fn enter_closely(&self, thread: &'static Thread) -> bool {
        if !stacks::are_switched() {
            match self.outside_of(thread) {
                Some(true) => self.hold(thread),
                Some(false) => return false,
                None => stacks::switch(),
            }
        }
        if stacks::are_switched() {
            if stacks::is_inside(thread, self.address()) {
                return false;
            }
            stacks::add(self.address());
            self.0.set(Some(thread));
        }
        true
    }

    fn address(&self) -> usize {
        ptr::from_ref(self).addr()
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
    /// under way. `None` if that guard lies on another stack: its call may be under way there.
    fn outside_of(&self, thread: &'static Thread) -> Option<bool> {
        let (held, here) = (thread.state.get() as usize, self.address());
        let (lowest, end) = thread.stack();
        let own = |address: usize| (lowest..end).contains(&address);
        // The answer for these two guards is cached, for tools that wrap every call: a walk up the
        // stack takes a microsecond.
        let is_under_way = || {
            let known = thread.inside.get() == (held, here);
            let is = known || stack::waits_in(held, |frame| frame.contains(&held));
            if is {
                thread.inside.set((held, here));
            }
            is
        };
        if !own(held) || !own(here) {
            // Nothing is known of this stack, and that of the guard may be freed.
            return is_under_way().then_some(false);
        }
        if here >= held {
            return Some(true);
        }
        // SAFETY: the address is that of a guard, so it is aligned. It lies on the stack of this
        // thread, no page of which is unmapped while the thread lives. Any bytes are a valid
        // integer.
        let found = unsafe { ptr::with_exposed_provenance::<usize>(held).read_volatile() };
        Some(found != ptr::from_ref(thread).addr() || !is_under_way())
    }
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(thread) = self.0.get()
            && !(stacks::are_switched() && stacks::remove(self.address()))
        {
            thread.state.set(thread.epoch.get());
        }
    }
}
