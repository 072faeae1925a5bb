//! The constants and functions of the MPI library that a program has loaded, found at run time.
//!
//! A library that is preloaded into any MPI program cannot be compiled with an `mpi.h`: Open MPI,
//! the MPICH family and the standard ABI of MPI 5.0 differ in the width of handles and in nearly
//! every constant. [`detect`] recognises which of the three the process has loaded and returns its
//! table of constants, [`Abi`]. [`function`] and [`Symbol`] find the next definition of a function
//! behind the calling library. [`mpi`] has typed wrappers of the MPI functions that this project
//! calls. The crate links no MPI. A program that was linked with no MPI, but is started as a rank,
//! opens one with [`loaded::World`].
//!
//! # Safety
//!
//! Handles are plain integers here, so the caller must keep MPI's own rules: a handle is alive, a
//! function is called between `MPI_Init` and `MPI_Finalize` unless MPI allows more, and a buffer is
//! as long as its count says. Every function that relies on these rules is `unsafe`, except those
//! of [`arguments`] and [`neighbourhood`], which ask about the handles of a call that the program
//! is making.
//!
//! # Example
//!
//! ```
//! use rankfold_abi::{c_name, function};
//!
//! // `None`: this process has loaded no MPI, so it lacks the function.
//! assert!(function(c_name!("P", "MPI_Send")).is_none());
//! ```

/// The MPI libraries that are recognised, by their binary interfaces.
pub const FAMILIES: &[&str] = &[
    "Open MPI 4 and 5",
    "MPICH 4 and 5, and libraries with its binary interface (Intel MPI, Cray MPICH, MVAPICH)",
    "the standard ABI of MPI 5.0",
];

mod abi;
pub mod arguments;
mod handle;
pub mod loaded;
pub mod mpi;
pub mod neighbourhood;
mod next;
mod operators;
pub mod own;
mod symbol;

pub use abi::{Abi, STANDARD, detect, get};
pub use handle::{Address, ERR_ABSENT, ERR_COUNT, Handle, Offset, UNAVAILABLE};
pub use symbol::{Symbol, data, function, is_loaded, loaded, loaded_paths};
