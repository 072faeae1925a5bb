//! Programs that switch between stacks: those with user-level threads, and those whose error
//! handlers leave a call by `swapcontext`.
//!
//! On such a stack a call of MPI can stay under way while its thread makes other calls on other
//! stacks, or be resumed by another thread, or never end. So one state of the thread cannot say
//! whether a call was made inside another one. Once a thread was seen on a second stack, every call
//! is looked up by its guard: a call is inside another one if a guard lies in a frame of this
//! library further up on the same stack. That takes a walk up the stack, but only where a guard
//! lies above on a stack that may be the same.

use super::Thread;
use crate::epoch;
use rankfold_preload::stack;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether a thread was seen on a second stack.
static SWITCHED: AtomicBool = AtomicBool::new(false);

/// The addresses of the guards of all calls that have begun since then and that are under way. A
/// call that was abandoned stays.
static GUARDS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn guards() -> MutexGuard<'static, BTreeSet<usize>> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether calls are looked up by their guards.
#[inline(always)]
pub(super) fn are_switched() -> bool {
    SWITCHED.load(Ordering::Relaxed)
}

/// Notes that a thread was seen on a second stack. No thread takes the short path through a send
/// from now on.
#[cold]
pub(super) fn switch() {
    if !SWITCHED.swap(true, Ordering::AcqRel) {
        epoch::look_closer();
    }
}

/// Adds the guard at `here`, whose call begins.
pub(super) fn add(here: usize) {
    guards().insert(here);
}

/// Removes the guard at `here`, whose call has ended. Returns `false` if it was not added.
#[cold]
pub(super) fn remove(here: usize) -> bool {
    guards().remove(&here)
}

/// Whether a call of `thread` with a guard at `here` is inside a call that has not ended.
#[cold]
pub(super) fn is_inside(thread: &Thread, here: usize) -> bool {
    // A guard from before the first switch is the state of its thread.
    let state = thread.state.get() as usize;
    let own = thread.stack();
    let own = own.0..own.1;
    // Of the guards on the thread's own stack, those below belong to calls that were left.
    let same_stack = |guard: usize| guard > here && own.contains(&guard) == own.contains(&here);
    let guards = guards();
    let state = Some(state).filter(|&state| state as u64 != thread.epoch.get());
    let above = guards.range(here..).copied().chain(state);
    let Some(highest) = above.filter(|&guard| same_stack(guard)).max() else {
        return false;
    };
    stack::waits_in(highest, |frame: Range<usize>| {
        state.is_some_and(|state| frame.contains(&state)) || guards.range(frame).next().is_some()
    })
}
