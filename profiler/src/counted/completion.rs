//! Completed receives. Each ends a burst of messages.

use super::receive::Receive;
use crate::thread::Thread;
use crate::{degrade, epoch, thread, turns};
use libc::c_int;
use rankfold_abi::Address;
use std::ptr;

/// What a call does with receives.
#[derive(Clone, Copy)]
pub(crate) enum Completion {
    /// The call posts a receive, and stores its request at this address.
    Posted(Option<Receive>, Address),
    /// The call completes a receive.
    Received(Option<Receive>),
    /// The call waits for this many requests, some of which may be receives. They are at this
    /// address; null if it is not known which of them have completed.
    Waited(c_int, Address),
}

/// The state of the thread before the call.
pub(crate) struct Noted {
    pub(crate) thread: &'static Thread,
}

impl Noted {
    /// The call has returned `code`. Even if the call has failed, receives may have completed.
    #[inline(always)]
    pub(crate) fn ended(self, code: c_int) -> c_int {
        code
    }
}

impl Completion {
    /// Notes the call, if the program itself made it and this thread's cache is up to date.
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

    /// Counts a completion that [`Self::count_known`] could not count. The requests of a wait are
    /// noted before the wait itself runs. The wait overwrites the handles of its requests.
    pub(crate) fn count_found(&self) -> Option<Noted> {
        if let Self::Waited(number, requests) = *self
            && !requests.is_null()
            && epoch::watching()
            && thread::this().is_outside()
        {
            degrade::guarded(|| turns::wait_for(requests, number));
        }
        None
    }

    /// Notes the call, in a thread whose cache may not be up to date.
    pub(crate) fn count(&self) {
        let thread = thread::this();
        thread.catch_up();
        if epoch::watching() {
            self.record();
        }
        if self.completes(thread) {
            thread.close_burst();
        }
    }

    /// Updates the number of open requests, and returns whether a receive completes.
    #[inline(always)]
    fn completes(&self, thread: &Thread) -> bool {
        match *self {
            Self::Posted(..) => {
                thread.burst.request(1, 1);
                false
            }
            Self::Received(_) => true,
            Self::Waited(number, _) => thread.burst.complete(number.max(0).cast_unsigned()),
        }
    }

    /// Records the turn of the call.
    fn record(&self) {
        let from = |receive: Option<Receive>| match receive {
            Some(receive) => receive.from(),
            None => Some(turns::ANYONE),
        };
        match *self {
            Self::Posted(receive, request) => {
                if let Some(rank) = from(receive) {
                    let request = turns::request_at(request, 0);
                    turns::record(|log| log.receive(rank, request));
                }
            }
            Self::Received(receive) => {
                if let Some(rank) = from(receive) {
                    turns::record(|log| log.receive(rank, None));
                }
            }
            Self::Waited(number, requests) if requests.is_null() => {
                let number = usize::try_from(number).unwrap_or(0);
                turns::record(|log| log.wait_for_some(number));
            }
            // Recorded before the call.
            Self::Waited(..) => {}
        }
    }

    /// Notes a call that was made while messages are counted.
    fn note(self) {
        if epoch::counting() {
            self.count();
        }
    }
}

/// A test of `number` requests has stored at `done` whether they have completed.
pub(crate) fn tested(done: Address, number: c_int) {
    // SAFETY: the test has succeeded, so MPI has stored an integer at `done`.
    let done = unsafe { done.cast::<c_int>().read() };
    if done != 0 {
        Completion::Waited(number, ptr::null_mut()).note();
    }
}

/// A call has stored at `number` how many requests have completed. A negative number is
/// `MPI_UNDEFINED`: there was none.
pub(crate) fn some(number: Address) {
    // SAFETY: the call has succeeded, so MPI has stored an integer at `number`.
    let number = unsafe { number.cast::<c_int>().read() };
    if number > 0 {
        Completion::Waited(number, ptr::null_mut()).note();
    }
}

/// A call has stored at `index` the index of the request that has completed. A negative index is
/// `MPI_UNDEFINED`: there was none.
pub(crate) fn any(index: Address) {
    // SAFETY: the call has succeeded, so MPI has stored an integer at `index`.
    let index = unsafe { index.cast::<c_int>().read() };
    if index >= 0 {
        Completion::Waited(1, ptr::null_mut()).note();
    }
}
