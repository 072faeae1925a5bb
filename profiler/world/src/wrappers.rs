//! The wrappers that exchange the communicator and do nothing else, and the names of all functions
//! that are known.

use libc::c_int;
use rankfold_abi::arguments::count_arrays::CountArrays;
use rankfold_abi::arguments::{Position, Receives, Sends, Size};
use rankfold_abi::{Address, Handle, Offset};

include!(concat!(env!("OUT_DIR"), "/wrappers.rs"));

/// Every function of MPI that this library knows, with or without a communicator, ascending, by its
/// name with `MPI_`.
pub(crate) const KNOWN: &[&str] = include!(concat!(env!("OUT_DIR"), "/known.rs"));
