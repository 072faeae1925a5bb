//! The wrappers that exchange the communicator and do nothing else, and the names of all functions
//! that the library knows.

use libc::c_int;
use rankfold_abi::arguments::count_arrays::CountArrays;
use rankfold_abi::arguments::{Position, Receives, Sends, Size};
use rankfold_abi::{Address, Handle, Offset};

include!(concat!(env!("OUT_DIR"), "/wrappers.rs"));

/// The names of all MPI functions that this library knows, with or without a communicator, in
/// ascending order, with the prefix `MPI_`.
pub(crate) const KNOWN: &[&str] = include!(concat!(env!("OUT_DIR"), "/known.rs"));
