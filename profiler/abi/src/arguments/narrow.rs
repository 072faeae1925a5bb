//! Calls the plain form of a `_c` function that the loaded MPI lacks.

use super::count_arrays::CountArrays;
use super::{Position, Receives, Sends, Size, Unit};
use crate::handle::{Address, Handle, Offset};
use libc::c_int;

/// Calls the function `plain` in place of its form with `_c`, which the loaded MPI lacks. Returns
/// an error code if the loaded MPI lacks `plain` too, or if an argument does not fit. The types of
/// the arguments may name `Count`, `Displacement` and `Unit`. The caller of the function guarantees
/// that the arguments are valid.
#[macro_export]
macro_rules! narrowed {
    ($plain:expr, $arrays:expr, ($($arg:ident: $type:ty),*)) => {{
        static PLAIN: $crate::Symbol = $crate::Symbol::new($crate::c_name!($plain));
        let arrays = $arrays;
        match (PLAIN.get(), $($crate::arguments::narrow::Narrow::narrow($arg, &arrays)),*) {
            (Some(plain), $(Some($arg)),*) => {
                #[allow(dead_code, reason = "not every function has a count")]
                type Count = ::libc::c_int;
                #[allow(dead_code, reason = "nor displacements")]
                type Displacement = ::libc::c_int;
                #[allow(dead_code, reason = "nor a unit of them")]
                type Unit = ::libc::c_int;
                // SAFETY: the plain form has this signature with `Count` as `int`, and the
                // arguments were converted to it. `arrays` keeps copies of arrays until the call
                // returns, or for good if MPI reads them later.
                Ok(unsafe { $crate::call!(plain.as_ptr(), ($($type),*), ($($arg),*)) })
            }
            (None, ..) => Err($crate::ERR_ABSENT),
            _ => Err($crate::ERR_COUNT),
        }
    }};
}

/// Converts an argument of a `_c` function to that of its plain form. Only counts and displacements
/// change.
pub trait Narrow {
    /// The type in the plain form.
    type Plain;
    /// The converted argument; `None` if a number does not fit. Copies of arrays are kept in
    /// `arrays`.
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

impl Narrow for Position<i64> {
    type Plain = Position<c_int>;
    fn narrow(self, arrays: &CountArrays) -> Option<Position<c_int>> {
        arrays.variable(self.0, true).map(Position)
    }
}

impl Narrow for Size<i64> {
    type Plain = Size<c_int>;
    fn narrow(self, arrays: &CountArrays) -> Option<Size<c_int>> {
        arrays.variable(self.0, false).map(Size)
    }
}

impl Narrow for Unit {
    type Plain = c_int;
    fn narrow(self, _: &CountArrays) -> Option<c_int> {
        self.0.try_into().ok()
    }
}
