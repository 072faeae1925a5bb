//! The arguments of exported functions that are no plain numbers or pointers.

pub mod count_arrays;
pub mod narrow;

use crate::handle::Offset;
use libc::c_int;

/// An array of as many items as there are ranks to send to.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Sends<T>(pub *const T);

/// An array of as many items as there are ranks to receive from.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Receives<T>(pub *const T);

/// The address of a count that MPI reads and changes.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Position<T>(pub *mut T);

/// The address at which MPI stores a count.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Size<T>(pub *mut T);

/// The unit of displacements in a window, in a function whose name ends in `_c`; `int` in the plain
/// one.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Unit(pub Offset);

/// The type of a count: `int`, or `MPI_Count` in a function whose name ends in `_c`.
pub trait Count {
    /// The type of displacements in a function whose counts are of this type.
    type Displacement;
    /// The type of the unit of displacements.
    type Unit;
}

impl Count for c_int {
    type Displacement = c_int;
    type Unit = c_int;
}

impl Count for i64 {
    type Displacement = Offset;
    type Unit = Unit;
}
