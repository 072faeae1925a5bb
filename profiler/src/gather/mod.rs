//! From every rank to rank 0 and back, over the program's own MPI.

pub(crate) mod comm;
pub(crate) mod private_comm;
mod tree;
mod wait;
