//! The arguments of exported functions that are no plain numbers or pointers.

pub(crate) mod count_arrays;
pub(crate) mod narrow;

use libc::c_int;
use rankfold_abi::Offset;

/// An array of as many items as there are ranks to send to.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Sends<T>(pub(crate) *const T);

/// An array of as many items as there are ranks to receive from.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Receives<T>(pub(crate) *const T);

/// The type of a count: `int`, or `MPI_Count` in a function whose name ends in `_c`.
pub(crate) trait Count {
    /// The type of displacements in a function whose counts are of this type.
    type Displacement;
}

impl Count for c_int {
    type Displacement = c_int;
}

impl Count for i64 {
    type Displacement = Offset;
}
