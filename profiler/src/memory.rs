//! The allocator of this library, and the bound of the memory that its counters take.
//!
//! Rust ends the process when an allocation fails, so where the program has used up all memory,
//! small allocations come from a reserve, which lasts until counting has ended. Large allocations
//! must use `try_reserve`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::hint;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Size of the reserve in bytes. It takes no memory until it is used. Chosen by hand; not measured.
const RESERVE: usize = 1 << 20;
/// Largest allocation from the reserve, in bytes. Chosen by hand; not measured.
const LARGEST: usize = 1 << 16;

struct Reserve {
    bytes: UnsafeCell<[u8; RESERVE]>,
    /// Number of bytes that are allocated. They are never freed.
    used: AtomicUsize,
}

// SAFETY: an atomic addition gives every byte to one caller only.
unsafe impl Sync for Reserve {}

static RESERVED: Reserve = Reserve {
    bytes: UnsafeCell::new([0; RESERVE]),
    used: AtomicUsize::new(0),
};

/// Bytes that counters, notes and translations of ranks may still take.
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether the bound has refused memory.
static AT_BOUND: AtomicBool = AtomicBool::new(false);

/// Bounds what is [taken](take) from now on to this many bytes together.
pub(crate) fn bound(bytes: usize) {
    LEFT.store(bytes, Ordering::Relaxed);
}

/// Whether `bytes` more are within the bound. They count as taken then.
pub(crate) fn take(bytes: usize) -> bool {
    let rest = |left: usize| left.checked_sub(bytes);
    let taken = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
    if taken.is_err() {
        AT_BOUND.store(true, Ordering::Relaxed);
    }
    taken.is_ok()
}

/// Gives back what was taken.
pub(crate) fn give_back(bytes: usize) {
    LEFT.fetch_add(bytes, Ordering::Relaxed);
}

/// Whether [`take`] has refused memory.
pub(crate) fn is_at_bound() -> bool {
    AT_BOUND.load(Ordering::Relaxed)
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Whether an allocation has used the reserve.
pub(crate) fn is_short() -> bool {
    RESERVED.used.load(Ordering::Relaxed) > 0
}

/// Whether `bytes` can be had without the reserve, for what the run can do without.
pub(crate) fn is_there_for(bytes: usize) -> bool {
    // The reserve gives nothing as large as this.
    let mut probe = Vec::<u8>::new();
    let found = probe.try_reserve_exact(bytes.saturating_add(LARGEST + 1));
    hint::black_box(&probe);
    found.is_ok()
}

impl Reserve {
    fn give(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LARGEST || layout.align() > LARGEST {
            return ptr::null_mut();
        }
        // The address is aligned too, which may take as many bytes as the alignment.
        let most = layout.size() + layout.align();
        let used = self.used.fetch_add(most, Ordering::Relaxed);
        if used + most > RESERVE {
            return ptr::null_mut();
        }
        let start = self.bytes.get().cast::<u8>().wrapping_add(used);
        start.wrapping_add(start.align_offset(layout.align()))
    }

    fn holds(&self, address: *const u8) -> bool {
        address.addr().wrapping_sub(self.bytes.get().addr()) < RESERVE
    }
}

// SAFETY: an allocation comes from the system's allocator or from bytes of the reserve that no
// other caller gets. Only the former are given back to the system's allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees that the layout is valid.
        let given = unsafe { System.alloc(layout) };
        if given.is_null() {
            return RESERVED.give(layout);
        }
        given
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        if !RESERVED.holds(address) {
            // SAFETY: the address is not of the reserve, so the system's allocator has returned it,
            // with this layout, as the caller guarantees.
            unsafe { System.dealloc(address, layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_aligned_bounded_and_known() {
        let layout = Layout::from_size_align(100, 64).expect("a layout");
        let first = RESERVED.give(layout);
        let second = RESERVED.give(layout);
        assert!(!first.is_null() && first.addr().is_multiple_of(64));
        assert!(second.addr() >= first.addr() + 100);
        assert!(RESERVED.holds(first) && !RESERVED.holds((&raw const layout).cast()));
        let large = Layout::from_size_align(LARGEST + 1, 1).expect("a layout");
        assert!(RESERVED.give(large).is_null());
        assert!(is_short());
    }
}
