//! What a thread remembers of the handles it used last.

use rankfold_abi::Handle;
use std::arch::asm;
use std::cell::Cell;

/// A hash whose low bits are to be used, by Fibonacci hashing: handles are aligned addresses or small integers, and the
/// neighbours in a grid often differ by powers of two. The factor is the lower half of 2^64 over the golden ratio: it fits
/// into the instruction.
#[inline(always)]
pub(crate) const fn spread(key: u64) -> usize {
    (key.wrapping_mul(0x7F4A_7C15) >> 16) as usize
}

/// `address`, which the compiler has to work out here and once: it prefers to do so at every use, and an instruction that
/// adds three parts of an address to memory takes twice as long as one that adds a single part.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read there")]
pub(crate) fn in_register<T>(address: *const T) -> *const T {
    let mut address = address;
    // SAFETY: no instruction at all.
    unsafe {
        asm!("/* {0} */", inout(reg) address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

/// A value for each of a few handles, one place for all that hash alike. `N` is a power of two. Handle 0, which no MPI
/// has, stands for none; its value is the default one.
pub(crate) struct Cache<V, const N: usize>([Cell<(Handle, V)>; N]);

impl<V: Copy + Default, const N: usize> Cache<V, N> {
    /// The value of `handle`, from `ask` if it is not known.
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

    /// Where `handle` is with its value, if it is known; another handle there means that it is not.
    #[inline(always)]
    pub(crate) fn place(&self, handle: Handle) -> &Cell<(Handle, V)> {
        const { assert!(N.is_power_of_two()) };
        let place = &raw const self.0[spread(handle as u64) & (N - 1)];
        // SAFETY: what it pointed to before.
        unsafe { &*in_register(place) }
    }
}
