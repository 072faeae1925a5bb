//! Large arrays of which few items are ever used.

use crate::memory;
use rankfold_preload::mapping;
use std::sync::atomic::AtomicI32;
use std::{ptr, slice};

/// An array of numbers that are zero at first. A large array takes up memory only where it is
/// written, and is made as quickly as a small one.
pub(super) enum Zeros {
    Small(Box<[AtomicI32]>),
    Mapped(&'static [AtomicI32]),
}

/// Arrays with more items than this are mapped, because the allocator would fill memory that was
/// used before with zeros. Chosen by hand; not measured.
const SMALL: usize = 4096;

impl Zeros {
    /// `None` if there is no memory, or beyond the bound of memory.
    pub(super) fn new(length: usize) -> Option<Self> {
        let bytes = length * size_of::<AtomicI32>();
        let made = memory::take(bytes).then(|| Self::made(length));
        if let Some(None) = made {
            memory::give_back(bytes);
        }
        made?
    }

    fn made(length: usize) -> Option<Self> {
        if length > SMALL {
            let start = mapping::private(length * size_of::<AtomicI32>()).ok()?;
            // SAFETY: the mapping is new, has this many bytes, and begins at a page, so it is
            // aligned. Its bytes are zero, which is valid, and only `drop` unmaps it.
            let all = unsafe { slice::from_raw_parts(start.cast_const().cast(), length) };
            return Some(Self::Mapped(all));
        }
        let mut all = Vec::new();
        all.try_reserve_exact(length).ok()?;
        all.resize_with(length, || AtomicI32::new(0));
        Some(Self::Small(all.into()))
    }

    pub(super) fn as_slice(&self) -> &[AtomicI32] {
        match self {
            Self::Small(all) => all,
            Self::Mapped(all) => all,
        }
    }
}

impl Drop for Zeros {
    fn drop(&mut self) {
        memory::give_back(size_of_val(self.as_slice()));
        if let Self::Mapped(all) = self {
            let start = ptr::from_ref(*all).cast_mut().cast();
            // SAFETY: `new` has mapped these bytes, and no reference to them is left.
            unsafe { libc::munmap(start, size_of_val(*all)) };
        }
    }
}
