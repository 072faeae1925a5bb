//! Blocks of data, one for each of several ranks.

use crate::arguments::{Receives, Sends};
use crate::datatype;
use libc::c_int;
use rankfold_abi::Abi;
use rankfold_abi::{Address, Handle};

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

    /// Bytes for the `index`-th rank; the program has passed arrays that long.
    pub(crate) fn bytes(&self, index: usize, abi: &Abi) -> u64 {
        let (number, datatype) = match *self {
            Self::Nothing => return 0,
            Self::Equal(number, datatype) => (number, datatype),
            Self::Varying(numbers, datatype) => (numbers.at(index), datatype),
            Self::Typed(numbers, types) => {
                // SAFETY: as many types as counts.
                let datatype = unsafe { abi.handle_at(types, index) };
                (numbers.at(index), datatype)
            }
        };
        let number = u64::try_from(number).unwrap_or(0);
        if number == 0 {
            // Nor does its type matter.
            return 0;
        }
        number.wrapping_mul(datatype::size(datatype & abi.mask).unwrap_or(0))
    }

    /// Bytes for the first `ranks` together.
    pub(crate) fn total(&self, ranks: u32, abi: &Abi) -> u64 {
        let blocks = (0..ranks as usize).map(|index| self.bytes(index, abi));
        blocks.fold(0, u64::wrapping_add)
    }
}

impl Counts {
    fn at(self, index: usize) -> i64 {
        match self {
            // SAFETY: the caller asks for no more than the program has passed.
            Self::Small(numbers) => i64::from(unsafe { numbers.wrapping_add(index).read() }),
            // SAFETY: as above.
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
