//! Bytes and messages.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A sum of messages, as it lies in the file. Written by one thread; atomic because others may
/// read.
#[repr(C)]
pub(crate) struct Sum {
    bytes: AtomicU64,
    messages: AtomicU64,
}

impl Sum {
    /// Of none.
    pub(crate) const fn none() -> Self {
        Self {
            bytes: AtomicU64::new(0),
            messages: AtomicU64::new(0),
        }
    }

    /// Counts a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        // Each load right before its store: the compiler makes one addition in memory of the two.
        let sum = self.bytes.load(Relaxed);
        self.bytes.store(sum.wrapping_add(bytes), Relaxed);
        let messages = self.messages.load(Relaxed);
        self.messages.store(messages.wrapping_add(1), Relaxed);
    }

    /// Takes back a message of `bytes`, if any is counted.
    pub(crate) fn take_back(&self, bytes: u64) {
        let [sum, messages] = self.get();
        if messages > 0 {
            self.set([sum.wrapping_sub(bytes), messages - 1]);
        }
    }

    /// Bytes, and messages.
    pub(crate) fn get(&self) -> [u64; 2] {
        [self.bytes.load(Relaxed), self.messages.load(Relaxed)]
    }

    /// The same from now on.
    pub(crate) fn set(&self, [bytes, messages]: [u64; 2]) {
        self.bytes.store(bytes, Relaxed);
        self.messages.store(messages, Relaxed);
    }
}
