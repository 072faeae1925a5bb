//! The counters of one key, in the form of the file.

use super::sum::Sum;
use rankfold_wire::journal::layout as at;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A slot. One thread writes it; the fields are atomic because other threads may read them.
#[repr(C)]
pub(crate) struct Slot {
    /// 0 while the slot is empty.
    pub(crate) key: AtomicU64,
    pub(crate) sum: Sum,
    pub(crate) detail: AtomicU64,
}

const _: () = assert!(size_of::<Slot>() == at::SLOT);

impl Slot {
    /// An empty slot.
    pub(crate) const fn empty() -> Self {
        Self {
            key: AtomicU64::new(0),
            sum: Sum::none(),
            detail: AtomicU64::new(0),
        }
    }

    /// Key, bytes, messages and detail.
    pub(crate) fn fields(&self) -> [u64; 4] {
        let [bytes, messages] = self.sum.get();
        let (key, detail) = (self.key.load(Relaxed), self.detail.load(Relaxed));
        [key, bytes, messages, detail]
    }

    /// Makes the slot empty.
    pub(super) fn clear(&self) {
        self.take_over(&Self::empty());
    }

    /// Copies the counters of `other`.
    pub(crate) fn take_over(&self, other: &Self) {
        let [key, bytes, messages, detail] = other.fields();
        self.sum.set([bytes, messages]);
        self.detail.store(detail, Relaxed);
        self.key.store(key, Relaxed);
    }
}
