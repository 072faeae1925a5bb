//! The data of a call, in blocks: one block for each of several ranks.

use super::lookup;
use libc::c_int;
use rankfold_abi::arguments::{Receives, Sends};
use rankfold_abi::{Abi, Address, Handle};

/// What a collective sends to each rank, or receives from each.
pub(crate) enum Block {
    Nothing,
    /// The same number of items of the same type for every rank.
    Equal(i64, Handle),
    /// A number of items of one type, by an array with one number for each rank.
    Varying(Counts, Handle),
    /// Numbers of items, and their types, by two arrays with an item for each rank.
    Typed(Counts, Address),
}

/// An array of counts, as a plain or as a `_c` function takes it.
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

    /// Length in bytes of the block of the `index`-th rank that the call addresses. The program
    /// must have passed a count for every such rank, and MPI must have accepted the call.
    pub(crate) fn bytes(&self, index: usize, abi: &Abi) -> u64 {
        let number = match *self {
            Self::Nothing => 0,
            Self::Equal(number, _) => number,
            Self::Varying(numbers, _) | Self::Typed(numbers, _) => numbers.at(index),
        };
        let number = u64::try_from(number).unwrap_or(0);
        // For zero items MPI ignores the type, so it may be invalid, and an array of types may be
        // absent.
        let datatype = match *self {
            Self::Equal(_, datatype) | Self::Varying(_, datatype) if number > 0 => datatype,
            // SAFETY: `types` is not null, and the program has passed as many types as counts, so
            // one for `index`.
            Self::Typed(_, types) if number > 0 && !types.is_null() => unsafe {
                abi.handle_at(types, index)
            },
            _ => return 0,
        };
        number.wrapping_mul(lookup::type_size(datatype & abi.mask).unwrap_or(0))
    }

    /// The blocks of the first `ranks` ranks together.
    pub(crate) fn total(&self, ranks: u32, abi: &Abi) -> Total {
        let first = self.bytes(0, abi);
        let mut total = Total {
            bytes: 0,
            uneven: false,
        };
        for index in 0..ranks as usize {
            let bytes = self.bytes(index, abi);
            total.bytes = total.bytes.wrapping_add(bytes);
            total.uneven |= bytes != first;
        }
        total
    }
}

/// The blocks of several ranks.
#[derive(Clone, Copy)]
pub(crate) struct Total {
    /// Length in bytes of all blocks together.
    pub(crate) bytes: u64,
    /// Whether the blocks have different lengths.
    pub(crate) uneven: bool,
}

impl Counts {
    /// The count at `index`; 0 where there is no array.
    fn at(self, index: usize) -> i64 {
        match self {
            Self::Small(numbers) if numbers.is_null() => 0,
            Self::Large(numbers) if numbers.is_null() => 0,
            // SAFETY: `numbers` is not null. `Block::bytes` asks only for ranks that the call
            // addresses, and the program has passed a count for each of these.
            Self::Small(numbers) => i64::from(unsafe { numbers.wrapping_add(index).read() }),
            // SAFETY: `numbers` is not null. `Block::bytes` asks only for ranks that the call
            // addresses, and the program has passed a count for each of these.
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
