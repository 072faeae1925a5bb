//! Which MPI is this: its constants and functions, found at run time.
//!
//! A library that is preloaded into an MPI program of any kind can be compiled against no `mpi.h`:
//! Open MPI, the family of MPICH and the standard ABI of MPI 5.0 disagree in the width of handles
//! and in the value of nearly every constant.
//! [`detect`] recognises which of the three the process has loaded and answers with its table of
//! constants, [`Abi`];
//! [`function`] and [`Symbol`] find the next definition of a function behind the calling library;
//! [`mpi`] has typed wrappers of the functions that are called from here. Nothing of MPI is linked.
//! A program that is no MPI program, but is started as one, opens its MPI with [`loaded::World`].
//!
//! # Safety
//!
//! Handles are plain integers here, so MPI's own rules are the caller's to keep: a handle is alive,
//! a function is called between `MPI_Init` and `MPI_Finalize` unless MPI allows more, and a buffer
//! is as long as its count says. Every function that relies on this is `unsafe`, but those of
//! [`arguments`] and [`neighbourhood`], which are asked about the handles of a call that the
//! program is making.
//!
//! # Example
//!
//! ```
//! use rankfold_abi::{c_name, function};
//!
//! // `None` where the loaded MPI lacks the function; this process has loaded no MPI at all.
//! assert!(function(c_name!("P", "MPI_Send")).is_none());
//! ```

/// The MPI libraries that are recognised, by the binary interface they have.
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
mod symbol;

pub use abi::{Abi, STANDARD, detect, get};
pub use handle::{Address, ERR_ABSENT, ERR_COUNT, Handle, Offset, UNAVAILABLE};
pub use symbol::{Symbol, data, function, is_loaded, loaded, loaded_paths};
