//! The counters of one key, as they lie in the file.

use rankfold_profile::journal::layout as at;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Written by one thread; atomic because others may read.
#[repr(C)]
pub(crate) struct Slot {
    /// 0 while the slot is empty.
    pub(crate) key: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) detail: AtomicU64,
}

const _: () = assert!(size_of::<Slot>() == at::SLOT);

impl Slot {
    /// Counts a message of `bytes`.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: u64) {
        // Each load right before its store: the compiler makes one addition in memory of the two.
        let sum = self.bytes.load(Relaxed);
        self.bytes.store(sum.wrapping_add(bytes), Relaxed);
        let messages = self.messages.load(Relaxed);
        self.messages.store(messages.wrapping_add(1), Relaxed);
    }

    /// Takes back a message of `bytes` that was counted.
    pub(crate) fn take_back(&self, bytes: u64) {
        let sum = self.bytes.load(Relaxed);
        self.bytes.store(sum.wrapping_sub(bytes), Relaxed);
        let messages = self.messages.load(Relaxed);
        self.messages.store(messages.wrapping_sub(1), Relaxed);
    }

    /// Makes it empty.
    pub(super) fn clear(&self) {
        for field in [&self.key, &self.bytes, &self.messages, &self.detail] {
            field.store(0, Relaxed);
        }
    }

    /// Takes over what `other` counts; this slot is empty.
    pub(crate) fn take_over(&self, other: &Self) {
        let fields = [
            (&self.bytes, &other.bytes),
            (&self.messages, &other.messages),
            (&self.detail, &other.detail),
            (&self.key, &other.key),
        ];
        for (to, from) in fields {
            to.store(from.load(Relaxed), Relaxed);
        }
    }
}
