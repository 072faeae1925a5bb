//! Blocks of data, one for each of several ranks.

use super::lookup;
use libc::c_int;
use rankfold_abi::arguments::{Receives, Sends};
use rankfold_abi::{Abi, Address, Handle};

/// What a collective moves for each rank.
pub(crate) enum Block {
    Nothing,
    /// This many items of this type for every rank.
    Equal(i64, Handle),
    /// As many items of one type as an array says.
    Varying(Counts, Handle),
    /// As many items, and of the types, as two arrays say.
    Typed(Counts, Address),
}

/// An array of counts of a plain or a `_c` function.
#[derive(Clone, Copy)]
pub(crate) enum Counts {
    Small(*const c_int),
    Large(*const i64),
}

impl Block {
    pub(crate) fn equal(number: impl Into<i64>, datatype: Handle) -> Self {
        Self::Equal(number.into(), datatype)
    }

    pub(crate) fn varying(numbers: impl Into<Counts>, datatype: Handle) -> Self {
        Self::Varying(numbers.into(), datatype)
    }

    pub(crate) fn typed(numbers: impl Into<Counts>, types: Address) -> Self {
        Self::Typed(numbers.into(), types)
    }

    /// Bytes for the `index`-th of the ranks that the call addresses, for each of which the program
    /// has passed an item. MPI has accepted the call.
    pub(crate) fn bytes(&self, index: usize, abi: &Abi) -> u64 {
        let number = match *self {
            Self::Nothing => 0,
            Self::Equal(number, _) => number,
            Self::Varying(numbers, _) | Self::Typed(numbers, _) => numbers.at(index),
        };
        let number = u64::try_from(number).unwrap_or(0);
        // MPI ignores the type of no items: it need not be one, and an array of types need not be
        // there.
        let datatype = match *self {
            Self::Equal(_, datatype) | Self::Varying(_, datatype) if number > 0 => datatype,
            // SAFETY: not null, and the program has passed as many types as counts, of which
            // `index` is one.
            Self::Typed(_, types) if number > 0 && !types.is_null() => unsafe {
                abi.handle_at(types, index)
            },
            _ => return 0,
        };
        number.wrapping_mul(lookup::type_size(datatype & abi.mask).unwrap_or(0))
    }

    /// Bytes for the first `ranks` together.
    pub(crate) fn total(&self, ranks: u32, abi: &Abi) -> u64 {
        let blocks = (0..ranks as usize).map(|index| self.bytes(index, abi));
        blocks.fold(0, u64::wrapping_add)
    }
}

impl Counts {
    /// 0 where there is no array.
    fn at(self, index: usize) -> i64 {
        match self {
            Self::Small(numbers) if numbers.is_null() => 0,
            Self::Large(numbers) if numbers.is_null() => 0,
            // SAFETY: not null, and `Block::bytes` asks for ranks that the call addresses, and the
            // program has passed a count for each.
            Self::Small(numbers) => i64::from(unsafe { numbers.wrapping_add(index).read() }),
            // SAFETY: not null, and `Block::bytes` asks for ranks that the call addresses, and the
            // program has passed a count for each.
            Self::Large(numbers) => unsafe { numbers.wrapping_add(index).read() },
        }
    }
}

macro_rules! counts {
    ($($array:ident $item:ty => $kind:ident;)+) => {$(
        impl From<$array<$item>> for Counts {
            fn from($array(numbers): $array<$item>) -> Self {
                Self::$kind(numbers)
            }
        }
    )+};
}
counts! {
    Sends c_int => Small;
    Sends i64 => Large;
    Receives c_int => Small;
    Receives i64 => Large;
}
