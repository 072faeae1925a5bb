//! The communicators of this process. The list has a fixed size and is read without a lock.

use crate::handle::fold;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Number of communicators that a process can make. Chosen by hand: a process of a large training
/// job has tens, and a program that makes more than these one after the other loses the last ones.
pub(crate) const MOST: usize = 1 << 12;

/// A communicator.
struct Known {
    /// 0 as long as identifier and rank are not known.
    state: AtomicU32,
    id: AtomicU64,
    rank: AtomicU32,
    live: AtomicU32,
}

/// What is known of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: u64,
    /// The rank of this process.
    pub(crate) rank: u32,
}

/// The communicators, by their numbers.
pub(crate) struct Communicators {
    all: [Known; MOST],
    made: AtomicU32,
    live: AtomicU32,
}

const UNKNOWN: u32 = 0;
const BEING_NOTED: u32 = 1;
const KNOWN: u32 = 2;

impl Communicators {
    pub(crate) const fn new() -> Self {
        Self {
            all: [const {
                Known {
                    state: AtomicU32::new(UNKNOWN),
                    id: AtomicU64::new(0),
                    rank: AtomicU32::new(0),
                    live: AtomicU32::new(0),
                }
            }; MOST],
            made: AtomicU32::new(0),
            live: AtomicU32::new(0),
        }
    }

    /// The number of a new communicator; `None` if there are too many.
    pub(crate) fn begin(&self) -> Option<u16> {
        let number = self.made.fetch_add(1, Relaxed);
        let Some(known) = self.all.get(number as usize) else {
            // The number must not wrap around.
            self.made.store(MOST as u32, Relaxed);
            return None;
        };
        known.live.store(1, Relaxed);
        self.live.fetch_add(1, Relaxed);
        Some(number as u16)
    }

    /// Whether a communicator has this number.
    pub(crate) fn has(&self, number: u16) -> bool {
        u32::from(number) < self.made.load(Relaxed).min(MOST as u32)
    }

    /// Ends a communicator. Returns whether it was the last one; ending it again does nothing.
    pub(crate) fn end(&self, number: u16) -> bool {
        let known = self.all.get(usize::from(number));
        known.is_some_and(|known| known.live.swap(0, Relaxed) == 1)
            && self.live.fetch_sub(1, Relaxed) == 1
    }

    /// Identifier and rank, if they are known.
    pub(crate) fn identity(&self, number: u16) -> Option<Identity> {
        let known = self.all.get(usize::from(number))?;
        (known.state.load(Acquire) == KNOWN).then(|| Identity {
            id: known.id.load(Relaxed),
            rank: known.rank.load(Relaxed),
        })
    }

    /// Notes identifier and rank of a communicator. Returns whether they are news.
    pub(crate) fn identify(&self, number: u16, identity: Identity) -> bool {
        let Some(known) = self.all.get(usize::from(number)) else {
            return false;
        };
        let first = known
            .state
            .compare_exchange(UNKNOWN, BEING_NOTED, Acquire, Relaxed);
        if first.is_err() {
            return false;
        }
        known.id.store(identity.id, Relaxed);
        known.rank.store(identity.rank, Relaxed);
        known.state.store(KNOWN, Release);
        true
    }

    /// The communicator of this process whose identifier has these 32 bits, the latest of several;
    /// for events of other processes.
    pub(crate) fn with_identifier(&self, identifier: u32) -> Option<u16> {
        let made = self.made.load(Relaxed).min(MOST as u32) as u16;
        let is_meant = |number: &u16| {
            let known = self.identity(*number);
            known.is_some_and(|known| fold(known.id) == identifier)
        };
        (0..made).rev().find(is_meant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn communicators_are_numbered_identified_once_and_end_once() {
        static ALL: Communicators = Communicators::new();
        let (first, second) = (ALL.begin().expect("0"), ALL.begin().expect("1"));
        let identity = Identity { id: 5, rank: 2 };
        assert_eq!(ALL.identity(first), None);
        assert!(ALL.identify(first, identity));
        assert!(!ALL.identify(first, Identity { id: 6, rank: 0 }));
        assert_eq!(ALL.identity(first), Some(identity));
        assert_eq!(ALL.with_identifier(5), Some(first));
        assert_eq!(ALL.with_identifier(6), None);
        assert!(!ALL.end(first));
        assert!(!ALL.end(first));
        assert!(ALL.end(second));
        assert!(ALL.has(1) && !ALL.has(2));
    }

    #[test]
    fn the_list_ends_and_stays_ended() {
        static FULL: Communicators = Communicators::new();
        assert_eq!((0..MOST + 10).filter_map(|_| FULL.begin()).count(), MOST);
        assert_eq!(FULL.begin(), None);
    }
}
