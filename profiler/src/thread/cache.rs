//! A thread's cache of the handles that it used last.

use rankfold_abi::Handle;
use std::arch::asm;
use std::cell::Cell;

/// A hash of which the low bits are used, by Fibonacci hashing: handles are aligned addresses or
/// small integers, and those of neighbours in a grid often differ by powers of two. The factor is
/// the lower half of 2^64 over the golden ratio, because a factor of 32 bits fits into the
/// instruction.
#[inline(always)]
pub(crate) const fn spread(key: u64) -> usize {
    (key.wrapping_mul(0x7F4A_7C15) >> 16) as usize
}

/// Returns `address`, and makes the compiler compute it into a register here. Otherwise the
/// compiler computes the address at every use, and an instruction on memory whose address is a sum
/// of three parts takes twice as long as one whose address is in a register.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read there")]
pub(crate) fn in_register<T>(address: *const T) -> *const T {
    let mut address = address;
    // SAFETY: the assembly holds a comment and no instruction.
    unsafe {
        asm!("/* {0} */", inout(reg) address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

/// A value for each of a few handles. Handles with the same hash share one of the `N` places, and
/// the one used last has it. `N` is a power of two. An unused place holds handle 0, which no MPI
/// object has, and the default value.
pub(crate) struct Cache<V, const N: usize>([Cell<(Handle, V)>; N]);

impl<V: Copy + Default, const N: usize> Cache<V, N> {
    /// The value of `handle`; from `ask` if the value is not cached.
    pub(crate) fn get(&self, handle: Handle, ask: impl FnOnce() -> Option<V>) -> Option<V> {
        let place = self.place(handle);
        match place.get() {
            (known, value) if known == handle => Some(value),
            _ => {
                let value = ask()?;
                place.set((handle, value));
                Some(value)
            }
        }
    }

    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|place| place.set((0, V::default())));
    }

    /// The place of `handle`. It holds the handle and its value if these are cached, and otherwise
    /// another handle.
    #[inline(always)]
    pub(crate) fn place(&self, handle: Handle) -> &Cell<(Handle, V)> {
        const { assert!(N.is_power_of_two()) };
        let place = &raw const self.0[spread(handle as u64) & (N - 1)];
        // SAFETY: `in_register` returns the address that it is given, which is that of an item of
        // `self`.
        unsafe { &*in_register(place) }
    }
}
