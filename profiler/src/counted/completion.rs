//! Completions of receives: each ends a burst of messages.

use crate::thread::Thread;
use crate::{epoch, thread};
use libc::c_int;
use rankfold_abi::Address;

/// What a call is going to do with receives.
#[derive(Clone, Copy)]
pub(crate) enum Completion {
    /// It posts one.
    Posted,
    /// It completes one.
    Received,
    /// It waits for so many requests, which may be receives.
    Waited(c_int),
}

/// What was noted before the call.
pub(crate) struct Noted {
    pub(crate) thread: &'static Thread,
}

impl Noted {
    /// The call has returned `code`. If it has failed, what it was to complete may have completed
    /// all the same.
    #[inline(always)]
    pub(crate) fn ended(self, code: c_int) -> c_int {
        code
    }
}

impl Completion {
    /// Notes it, if the program itself made the call and this thread is up to date.
    #[inline(always)]
    pub(crate) fn count_known(&self) -> Option<Noted> {
        let thread = thread::this();
        if thread.state.get() != epoch::now() {
            return None;
        }
        if self.completes(thread) {
            thread.close_burst();
        }
        Some(Noted { thread })
    }

    /// As [`Self::count_known`], which has already failed.
    pub(crate) fn count_found(&self) -> Option<Noted> {
        None
    }

    /// Notes it, in a thread that may not be up to date.
    pub(crate) fn count(&self) {
        let thread = thread::this();
        thread.catch_up();
        if self.completes(thread) {
            thread.close_burst();
        }
    }

    /// Keeps account of requests; whether a receive completes.
    #[inline(always)]
    fn completes(&self, thread: &Thread) -> bool {
        match *self {
            Self::Posted => {
                thread.burst.request(1, 1);
                false
            }
            Self::Received => true,
            Self::Waited(number) => thread.burst.complete(number.max(0).cast_unsigned()),
        }
    }

    /// Notes what a call has done that was made while messages are counted.
    fn note(self) {
        if epoch::counting() {
            self.count();
        }
    }
}

/// A test of `number` requests has said at `done` whether they have completed.
pub(crate) fn tested(done: Address, number: c_int) {
    // SAFETY: the test has succeeded, so MPI has stored an integer there.
    let done = unsafe { done.cast::<c_int>().read() };
    if done != 0 {
        Completion::Waited(number).note();
    }
}

/// As many requests have completed as a call has said at `number`: none if that is negative,
/// `MPI_UNDEFINED`.
pub(crate) fn some(number: Address) {
    // SAFETY: the call has succeeded, so MPI has stored an integer there.
    let number = unsafe { number.cast::<c_int>().read() };
    if number > 0 {
        Completion::Waited(number).note();
    }
}

/// The request has completed whose index a call has stored at `index`: none if that is negative,
/// `MPI_UNDEFINED`.
pub(crate) fn any(index: Address) {
    // SAFETY: the call has succeeded, so MPI has stored an integer there.
    let index = unsafe { index.cast::<c_int>().read() };
    if index >= 0 {
        Completion::Waited(1).note();
    }
}
