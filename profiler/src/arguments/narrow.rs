//! From the arguments of a `_c` function that the loaded MPI lacks to those of its plain form.

use super::count_arrays::CountArrays;
use super::{Receives, Sends};
use libc::c_int;
use rankfold_abi::{Address, Handle, Offset};

/// An argument of a `_c` function as its plain form takes it; only counts and displacements change.
pub(crate) trait Narrow {
    type Plain;
    /// `None` when a number does not fit; copies of arrays are left in `arrays`.
    fn narrow(self, arrays: &CountArrays) -> Option<Self::Plain>;
}

impl Narrow for i64 {
    type Plain = c_int;
    fn narrow(self, _: &CountArrays) -> Option<c_int> {
        self.try_into().ok()
    }
}

macro_rules! arrays {
    ($($array:ident<$item:ty> of $length:ident;)+) => {$(
        impl Narrow for $array<$item> {
            type Plain = $array<c_int>;
            fn narrow(self, arrays: &CountArrays) -> Option<$array<c_int>> {
                arrays.copy(self.0, arrays.$length).map($array)
            }
        }
    )+};
}
arrays! {
    Sends<i64> of sends;
    Sends<Offset> of sends;
    Receives<i64> of receives;
    Receives<Offset> of receives;
}

macro_rules! unchanged {
    ($($type:ty),+) => {$(
        impl Narrow for $type {
            type Plain = Self;
            fn narrow(self, _: &CountArrays) -> Option<Self> {
                Some(self)
            }
        }
    )+};
}
unchanged!(c_int, Handle, Address, Offset);
