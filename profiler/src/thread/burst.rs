//! Messages that a thread starts between two completions of receives: they are under way at once.
//!
//! A receive completes in `MPI_Recv`, `MPI_Mrecv` and `MPI_Sendrecv`, and in a wait, or a test that
//! says so, if the thread has a receive under way. Which requests are receives is not remembered,
//! as handles are not unique: a thread knows how many requests it has started, and how many of them
//! were receives, and takes the sends for the first that are waited for. So a wait for sends alone
//! is none if the thread receives by `MPI_Recv`, or has waited for all its receives.

use crate::journal::slot::Slot;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What has been started and not completed. All bytes zero, it is nothing.
#[repr(C)]
pub(crate) struct Burst {
    bytes: Cell<u64>,
    messages: Cell<u32>,
    /// Requests that are under way, and at most how many of them are receives.
    requests: Cell<u32>,
    receives: Cell<u32>,
    /// Where bursts of the last few sizes are counted; an empty place is of no messages.
    slots: [Cell<(u32, *const Slot)>; SIZES],
}

/// Sizes whose slots a thread remembers, a power of two: programs have few.
const SIZES: usize = 4;

/// Bytes up to which a blocking send does not wait for the receiver.
static EAGER: AtomicU64 = AtomicU64::new(64 << 10);

/// Blocking sends of more than `bytes` wait for the receiver, from now on.
pub(crate) fn set_eager(bytes: u64) {
    EAGER.store(bytes, Relaxed);
}

/// Whether a blocking send of `bytes` waits for the receiver.
#[inline(always)]
pub(crate) fn waits(bytes: u64) -> bool {
    bytes > EAGER.load(Relaxed)
}

/// The size under which a burst of `messages` is counted: 5 significant bits are kept, so that the
/// sizes of a run are few.
pub(super) fn rounded(messages: u32) -> u32 {
    let messages = messages.min(1 << 30);
    let dropped = (u32::BITS - messages.leading_zeros()).saturating_sub(5);
    messages >> dropped << dropped
}

impl Burst {
    /// Adds a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        // Each load right before its store, as in a slot.
        self.messages.set(self.messages.get().wrapping_add(1));
        self.bytes.set(self.bytes.get().wrapping_add(bytes));
    }

    /// Takes a message of `bytes` back that was added last, unless its burst has ended.
    pub(crate) fn take_back(&self, bytes: u64) {
        if self.messages.get() > 0 {
            self.messages.set(self.messages.get() - 1);
            self.bytes.set(self.bytes.get().wrapping_sub(bytes));
        }
    }

    /// `requests` have been started, `receives` of them receives.
    #[inline(always)]
    pub(crate) fn request(&self, requests: u32, receives: u32) {
        self.requests
            .set(self.requests.get().wrapping_add(requests));
        self.receives
            .set(self.receives.get().wrapping_add(receives));
    }

    /// `requests` have completed; whether a receive may have been among them.
    #[inline]
    pub(crate) fn complete(&self, requests: u32) -> bool {
        let receives = self.receives.get();
        let left = self.requests.get().saturating_sub(requests);
        self.requests.set(left);
        self.receives.set(receives.min(left));
        receives > 0 && requests > 0
    }

    /// Ends the burst if it is empty, or of a size whose slot is remembered; whether it was.
    #[inline(always)]
    pub(super) fn close_known(&self) -> bool {
        let messages = self.messages.get();
        if messages == 0 {
            return true;
        }
        let (known, slot) = self.slots[messages as usize % SIZES].get();
        if known != messages {
            return false;
        }
        self.messages.set(0);
        // SAFETY: the place is not empty, so `remember` has stored the address of a slot there;
        // slots are never unmapped.
        unsafe { &*slot }.sum.add(self.bytes.take());
        true
    }

    /// How many messages and bytes there were; none from now on.
    pub(super) fn take(&self) -> (u32, u64) {
        (self.messages.take(), self.bytes.take())
    }

    /// Remembers where bursts of `messages` are counted.
    pub(super) fn remember(&self, messages: u32, slot: &'static Slot) {
        self.slots[messages as usize % SIZES].set((messages, slot));
    }

    /// Forgets where bursts are counted.
    pub(super) fn forget(&self) {
        self.slots
            .iter()
            .for_each(|place| place.set((0, ptr::null())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst() -> Burst {
        Burst {
            bytes: Cell::new(0),
            messages: Cell::new(0),
            requests: Cell::new(0),
            receives: Cell::new(0),
            slots: std::array::from_fn(|_| Cell::new((0, ptr::null()))),
        }
    }

    #[test]
    fn a_wait_without_a_receive_under_way_completes_none() {
        let burst = burst();
        burst.request(2, 0);
        assert!(!burst.complete(2));
        burst.request(1, 1);
        assert!(burst.complete(1));
        assert!(!burst.complete(1), "there was one");
    }

    #[test]
    fn sends_are_taken_for_the_first_to_complete() {
        let burst = burst();
        // Receives posted ahead; then send, wait for it, wait for a receive, again and again.
        burst.request(3, 3);
        for _ in 0..3 {
            burst.request(1, 0);
            assert!(burst.complete(1));
            assert!(burst.complete(1));
        }
        assert!(!burst.complete(1), "all have completed");
    }

    #[test]
    fn what_was_never_started_here_leaves_nothing_behind() {
        let burst = burst();
        assert!(!burst.complete(7));
        burst.request(2, 2);
        assert!(burst.complete(1));
        assert!(burst.complete(1));
    }

    #[test]
    fn sizes_are_exact_where_they_are_small_and_right_within_a_sixteenth() {
        assert_eq!(
            [1, 26, 31, 32, 33, 63].map(rounded),
            [1, 26, 31, 32, 32, 62]
        );
        assert_eq!(rounded(1000), 992);
        assert_eq!(rounded(u32::MAX), 1 << 30);
    }

    #[test]
    fn messages_and_bytes_are_taken_once() {
        let burst = burst();
        burst.add(10);
        burst.add(0);
        assert_eq!(burst.take(), (2, 10));
        assert_eq!(burst.take(), (0, 0));
    }
}
