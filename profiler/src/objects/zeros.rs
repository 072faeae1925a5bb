//! Many numbers of which few are ever used.

use crate::journal::mapping;
use std::sync::atomic::AtomicI32;
use std::{ptr, slice};

/// Numbers that are zero at first. A large array takes up memory only where it is used, and is made
/// as quickly as a small one.
pub(super) enum Zeros {
    Small(Box<[AtomicI32]>),
    Mapped(&'static [AtomicI32]),
}

/// More numbers than this are mapped: the allocator would write them all when it has used the
/// memory before.
const SMALL: usize = 4096;

impl Zeros {
    /// `None` when there is no memory.
    pub(super) fn new(length: usize) -> Option<Self> {
        if length > SMALL {
            let start = mapping::private(length * size_of::<AtomicI32>()).ok()?;
            // SAFETY: a fresh mapping of so many bytes, aligned to a page, zero, which is valid,
            // and unmapped by `drop` only.
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
        if let Self::Mapped(all) = self {
            let start = ptr::from_ref(*all).cast_mut().cast();
            // SAFETY: `new` has mapped these bytes, and nobody has kept an address in them.
            unsafe { libc::munmap(start, size_of_val(*all)) };
        }
    }
}
