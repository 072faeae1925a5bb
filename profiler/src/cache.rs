//! What a thread remembers of the handles it used last.

use crate::entry::Handle;
use std::cell::Cell;

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
    // Fibonacci hashing: handles are aligned addresses or small integers.
    #[inline(always)]
    pub(crate) fn place(&self, handle: Handle) -> &Cell<(Handle, V)> {
        const { assert!(N.is_power_of_two() && N > 1) };
        let hash = (handle as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.0[(hash >> (64 - N.trailing_zeros())) as usize]
    }
}
