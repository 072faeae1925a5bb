//! The counters of one key, as they lie in the file.

use super::sum::Sum;
use rankfold_profile::journal::layout as at;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Written by one thread; atomic because others may read.
#[repr(C)]
pub(crate) struct Slot {
    /// 0 while the slot is empty.
    pub(crate) key: AtomicU64,
    pub(crate) sum: Sum,
    pub(crate) detail: AtomicU64,
}

const _: () = assert!(size_of::<Slot>() == at::SLOT);

impl Slot {
    /// One that is empty.
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

    /// Makes it empty.
    pub(super) fn clear(&self) {
        self.take_over(&Self::empty());
    }

    /// Takes over what `other` counts.
    pub(crate) fn take_over(&self, other: &Self) {
        let [key, bytes, messages, detail] = other.fields();
        self.sum.set([bytes, messages]);
        self.detail.store(detail, Relaxed);
        self.key.store(key, Relaxed);
    }
}
