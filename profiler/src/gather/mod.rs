//! From every rank to rank 0 and back, over the program's own MPI.

pub(crate) mod lane;
pub(crate) mod muster;
mod tree;
pub(crate) mod wait;
