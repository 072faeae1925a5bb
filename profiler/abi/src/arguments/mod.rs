//! Types of arguments of exported functions that are neither plain numbers nor plain pointers.

pub mod count_arrays;
pub mod narrow;

use crate::handle::Offset;
use libc::c_int;

/// An array with an item for each rank to which the call sends.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Sends<T>(pub *const T);

/// An array with an item for each rank from which the call receives.
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

/// The unit of displacements in a window, in a function whose name ends in `_c`. In the plain form
/// it is an `int`.
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
