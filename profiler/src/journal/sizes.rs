//! The messages of a table by size. The place of a size is computed, not searched for, because
//! every send counts here.

use super::sum::Sum;
use rankfold_wire::journal::layout as at;

/// A sum for every size, in the form of the file. Messages whose lengths have the same number of
/// significant bits have the same size.
#[repr(C)]
pub(crate) struct Sizes([Sum; at::SIZE_PLACES]);

const _: () = assert!(size_of::<Sum>() == at::SIZE);

impl Sizes {
    /// Index of the sum for messages of `bytes`. Messages with one bit more have the next index,
    /// or, on some processors, the previous one.
    #[inline(always)]
    pub(crate) fn place(bytes: u64) -> usize {
        // Twice the bytes plus one is never zero. No message has the bit that the shift drops.
        zeros(bytes << 1 | 1)
    }

    /// The sum for messages of about `bytes`.
    #[inline(always)]
    pub(crate) fn of(&self, bytes: u64) -> &Sum {
        let place = Self::place(bytes);
        // SAFETY: the index is the number of a bit of a word, and there is a sum for each bit.
        unsafe { self.0.get_unchecked(place) }
    }

    /// For every size its number of bits, and the bytes and messages of that size.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, [u64; 2])> {
        let empty = Self::place(0);
        let places = self.0.iter().enumerate();
        places.map(move |(place, sum)| (place.abs_diff(empty) as u32, sum.get()))
    }

    /// Sets all sums to zero.
    pub(super) fn clear(&self) {
        self.0.iter().for_each(|sum| sum.set([0, 0]));
    }

    /// Copies the sums of `other`.
    pub(crate) fn take_over(&self, other: &Self) {
        let both = self.0.iter().zip(&other.0);
        both.for_each(|(to, from)| to.set(from.get()));
    }
}

/// Number of leading zeros of a number other than 0 on processors with the instruction `lzcnt`.
/// Other processors execute the older instruction `bsr`, whose code `lzcnt` extends (Intel 64 and
/// IA-32 manual, volume 2, LZCNT), and the result is the index of the highest bit. Using `bsr`
/// everywhere would take five times as long on processors of AMD.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn zeros(number: u64) -> usize {
    let zeros: usize;
    // SAFETY: both instructions use two registers only.
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
    use rankfold_wire::size_bits;

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
