//! The point-to-point messages of a table by their size: where a size is counted is computed, not
//! looked for, as this is a part of every send.

use super::sum::Sum;
use rankfold_profile::journal::layout as at;

/// A sum for every size, as they lie in the file: messages of as many bits in their bytes are of
/// one size.
#[repr(C)]
pub(crate) struct Sizes([Sum; at::SIZE_PLACES]);

const _: () = assert!(size_of::<Sum>() == at::SIZE);

impl Sizes {
    /// Where messages of `bytes` are counted: a neighbouring place for each further bit, upwards or
    /// downwards.
    #[inline(always)]
    pub(crate) fn place(bytes: u64) -> usize {
        // One more than twice the bytes is never zero; what the shift drops no message has.
        zeros(bytes << 1 | 1)
    }

    /// The messages of about as many bytes.
    #[inline(always)]
    pub(crate) fn of(&self, bytes: u64) -> &Sum {
        let place = Self::place(bytes);
        // SAFETY: the place is the number of a bit of a word, and there is a sum for each.
        unsafe { self.0.get_unchecked(place) }
    }

    /// Bits of the bytes, and bytes and messages of that size, for every size.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, [u64; 2])> {
        let empty = Self::place(0);
        let places = self.0.iter().enumerate();
        places.map(move |(place, sum)| (place.abs_diff(empty) as u32, sum.get()))
    }

    /// Counts none.
    pub(super) fn clear(&self) {
        self.0.iter().for_each(|sum| sum.set([0, 0]));
    }

    /// Takes over what `other` counts.
    pub(crate) fn take_over(&self, other: &Self) {
        let both = self.0.iter().zip(&other.0);
        both.for_each(|(to, from)| to.set(from.get()));
    }
}

/// Leading zeros of a number other than 0 on processors that have an instruction for them, and the
/// place of its highest bit on those that do not: they execute the older instruction, whose code
/// the newer one extends (Intel 64 and IA-32 manual, volume 2, LZCNT). That one takes five times as
/// long on AMD's processors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn zeros(number: u64) -> usize {
    let zeros: usize;
    // SAFETY: an instruction on two registers, in either meaning.
    unsafe {
        std::arch::asm!("lzcnt {}, {}", out(reg) zeros, in(reg) number, options(pure, nomem, nostack));
    }
    zeros
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn zeros(number: u64) -> usize {
    number.leading_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_profile::size_bits;

    #[test]
    fn every_size_has_a_place_and_its_neighbour_is_of_one_bit_more() {
        let sizes = Sizes([const { Sum::none() }; at::SIZE_PLACES]);
        let bytes = [0, 1, 2, 3, 4, 1 << 20, (1 << 63) - 1];
        for bytes in bytes {
            sizes.of(bytes).add(bytes);
        }
        sizes.of(u64::MAX).add(1);
        for bytes in bytes {
            let of_its_size = |&(bits, _): &(u32, _)| bits == size_bits(bytes);
            let (_, [_, messages]) = sizes.each().find(of_its_size).expect("a size");
            assert!(messages > 0, "{bytes}");
        }
        let all: u64 = sizes.each().map(|(_, [_, messages])| messages).sum();
        assert_eq!(all, bytes.len() as u64 + 1);
        assert!([0, at::SIZE_PLACES - 1].contains(&Sizes::place(0)));
    }
}
