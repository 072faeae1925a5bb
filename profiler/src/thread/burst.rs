//! Bursts: the messages that a thread starts between two completions of receives, and which are
//! thus under way at once.
//!
//! A receive completes in `MPI_Recv`, `MPI_Mrecv` and `MPI_Sendrecv`. It also completes in a wait,
//! or in a test that succeeds, if the thread has a receive under way. Which requests are receives
//! cannot be stored, because handles are not unique. A thread counts the requests that it has
//! started and how many of them were receives, and assumes that sends complete first. So a wait for
//! sends alone completes no receive if the thread receives by `MPI_Recv`, or has waited for all its
//! receives.

use crate::journal::slot::Slot;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The messages and requests of the current burst. With all bytes zero there are none.
#[repr(C)]
pub(crate) struct Burst {
    bytes: Cell<u64>,
    messages: Cell<u32>,
    /// Number of requests under way, and the largest possible number of receives among them.
    requests: Cell<u32>,
    receives: Cell<u32>,
    /// The slots in which bursts of the last few sizes are counted. In an unused place the size is
    /// 0.
    slots: [Cell<(u32, *const Slot)>; SIZES],
}

/// Number of burst sizes whose slots a thread caches, a power of two. Programs have few sizes.
/// Chosen by hand; not measured.
const SIZES: usize = 4;

/// The eager limit in bytes: a blocking send of a longer message waits for the receiver.
static EAGER: AtomicU64 = AtomicU64::new(64 << 10);

/// Sets the eager limit to `bytes`.
pub(crate) fn set_eager(bytes: u64) {
    EAGER.store(bytes, Relaxed);
}

/// Whether a blocking send of `bytes` waits for the receiver.
#[inline(always)]
pub(crate) fn waits(bytes: u64) -> bool {
    bytes > EAGER.load(Relaxed)
}

/// The size under which a burst of `messages` is counted. The 5 most significant bits are kept, so
/// that a run has few sizes.
pub(super) fn rounded(messages: u32) -> u32 {
    let messages = messages.min(1 << 30);
    let dropped = (u32::BITS - messages.leading_zeros()).saturating_sub(5);
    messages >> dropped << dropped
}

impl Burst {
    /// Adds a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        // Each load stands right before its store, as in a slot.
        self.messages.set(self.messages.get().wrapping_add(1));
        self.bytes.set(self.bytes.get().wrapping_add(bytes));
    }

    /// Removes the message of `bytes` that was added last, unless its burst has ended.
    pub(crate) fn take_back(&self, bytes: u64) {
        if self.messages.get() > 0 {
            self.messages.set(self.messages.get() - 1);
            self.bytes.set(self.bytes.get().wrapping_sub(bytes));
        }
    }

    /// Notes that `requests` requests were started, `receives` of which are receives.
    #[inline(always)]
    pub(crate) fn request(&self, requests: u32, receives: u32) {
        self.requests
            .set(self.requests.get().wrapping_add(requests));
        self.receives
            .set(self.receives.get().wrapping_add(receives));
    }

    /// Notes that `requests` requests have completed. Returns whether a receive may have been among
    /// them.
    #[inline]
    pub(crate) fn complete(&self, requests: u32) -> bool {
        let receives = self.receives.get();
        let left = self.requests.get().saturating_sub(requests);
        self.requests.set(left);
        self.receives.set(receives.min(left));
        receives > 0 && requests > 0
    }

    /// Ends the burst if it is empty or the slot of its size is cached. Returns whether it has
    /// ended. Whenever the number of bursts has doubled, the longer way looks at the turns.
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
        // SAFETY: the place is in use, so `remember` has stored the address of a slot in it. Slots
        // are never unmapped.
        let sum = &unsafe { &*slot }.sum;
        let [_, bursts] = sum.get();
        if bursts.is_power_of_two() {
            return false;
        }
        self.messages.set(0);
        sum.add(self.bytes.take());
        true
    }

    /// Number of messages and bytes of the burst, which ends.
    pub(super) fn take(&self) -> (u32, u64) {
        (self.messages.take(), self.bytes.take())
    }

    /// Caches the slot in which bursts of `messages` are counted.
    pub(super) fn remember(&self, messages: u32, slot: &'static Slot) {
        self.slots[messages as usize % SIZES].set((messages, slot));
    }

    /// Empties the cache of slots.
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
        // All receives are posted ahead. Then each step sends, waits for the send, and waits for a
        // receive.
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
