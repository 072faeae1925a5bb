//! The types and error codes that are the same in every MPI.

use libc::{c_int, c_void};

/// Any MPI handle by value: 32 bits wide in the MPICH family, a pointer elsewhere. It is passed on
/// as it came, so bits beyond the width of a handle may hold anything; [`crate::Abi::mask`] removes
/// them before handles are compared.
pub type Handle = usize;

/// Any pointer.
pub type Address = *mut c_void;

/// `MPI_Aint` and `MPI_Offset`: as wide in a function whose name ends in `_c` as in the plain one.
pub type Offset = isize;

/// `MPI_ERR_COUNT`, the same in every family.
pub const ERR_COUNT: c_int = 2;

/// What is returned for a function that the loaded MPI does not have; `MPI_ERR_OTHER` of Open MPI
/// and the standard ABI.
pub const ERR_ABSENT: c_int = 16;

/// What mpi4py's own stand-in for such a function returns (`PyMPI_ERR_UNAVAILABLE` in its
/// `defines.h`): it raises `NotImplementedError` for it. No MPI has this code.
pub const UNAVAILABLE: c_int = -1_431_655_766;
