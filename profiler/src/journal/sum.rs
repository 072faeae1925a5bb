//! Sums of bytes and messages.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes and number of messages, in the form of the file. One thread writes the sum; the fields are
/// atomic because other threads may read them.
#[repr(C)]
pub(crate) struct Sum {
    bytes: AtomicU64,
    messages: AtomicU64,
}

impl Sum {
    /// The sum of no messages.
    pub(crate) const fn none() -> Self {
        Self {
            bytes: AtomicU64::new(0),
            messages: AtomicU64::new(0),
        }
    }

    /// Adds a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        // Each load stands right before its store, so that the compiler makes one addition in
        // memory of both.
        let sum = self.bytes.load(Relaxed);
        self.bytes.store(sum.wrapping_add(bytes), Relaxed);
        let messages = self.messages.load(Relaxed);
        self.messages.store(messages.wrapping_add(1), Relaxed);
    }

    /// Subtracts a message of `bytes`, if there are any messages.
    pub(crate) fn take_back(&self, bytes: u64) {
        let [sum, messages] = self.get();
        if messages > 0 {
            self.set([sum.wrapping_sub(bytes), messages - 1]);
        }
    }

    /// Bytes and messages.
    pub(crate) fn get(&self) -> [u64; 2] {
        [self.bytes.load(Relaxed), self.messages.load(Relaxed)]
    }

    /// Sets bytes and messages.
    pub(crate) fn set(&self, [bytes, messages]: [u64; 2]) {
        self.bytes.store(bytes, Relaxed);
        self.messages.store(messages, Relaxed);
    }
}
