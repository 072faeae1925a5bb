//! Types and error codes that are the same in every MPI library.

use libc::{c_int, c_void};

/// Any MPI handle by value. It is 32 bits wide in the MPICH family, and a pointer elsewhere. A
/// handle is passed on unchanged, so the bits beyond its width may hold anything.
/// [`crate::Abi::mask`] removes them before handles are compared.
pub type Handle = usize;

/// Any pointer.
pub type Address = *mut c_void;

/// `MPI_Aint` and `MPI_Offset`. They have the same width in a function whose name ends in `_c` and
/// in its plain form.
pub type Offset = isize;

/// `MPI_ERR_COUNT`, the same in every MPI library.
pub const ERR_COUNT: c_int = 2;

/// The error code of a function that the loaded MPI lacks. It is `MPI_ERR_OTHER` of Open MPI and
/// the standard ABI.
pub const ERR_ABSENT: c_int = 16;

/// The value that mpi4py's own replacement for such a function returns (`PyMPI_ERR_UNAVAILABLE` in
/// its `defines.h`). mpi4py then raises `NotImplementedError`. No MPI library has this code.
pub const UNAVAILABLE: c_int = -1_431_655_766;
