//! Memory for this library where the program has used up all there is: Rust ends the process when
//! an allocation fails, so small ones come out of a reserve then, which lasts until counting has
//! ended. Large ones have to be asked for by `try_reserve`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the reserve; no memory is used before it is touched.
const RESERVE: usize = 1 << 20;
/// Largest allocation that comes out of the reserve.
const LARGEST: usize = 1 << 16;

struct Reserve {
    bytes: UnsafeCell<[u8; RESERVE]>,
    /// How many are given away; nothing comes back.
    used: AtomicUsize,
}

// SAFETY: every byte is given away once, by an atomic addition.
unsafe impl Sync for Reserve {}

static RESERVED: Reserve = Reserve {
    bytes: UnsafeCell::new([0; RESERVE]),
    used: AtomicUsize::new(0),
};

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Whether the reserve was needed.
pub(crate) fn is_short() -> bool {
    RESERVED.used.load(Ordering::Relaxed) > 0
}

impl Reserve {
    fn give(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LARGEST || layout.align() > LARGEST {
            return ptr::null_mut();
        }
        // Room to align the address too.
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

// SAFETY: what is returned comes from the system's allocator, or from bytes of the reserve that
// nobody else is given, and only the former goes back there.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller vouches for the layout.
        let given = unsafe { System.alloc(layout) };
        if given.is_null() {
            return RESERVED.give(layout);
        }
        given
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        if !RESERVED.holds(address) {
            // SAFETY: the system's allocator has given it, with this layout, as the caller vouches.
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
