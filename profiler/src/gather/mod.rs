//! From every rank to rank 0 and back, over the program's own MPI.

pub(crate) mod exchange;
pub(crate) mod lane;
mod layout;
pub(crate) mod muster;
pub(crate) mod private;
mod tree;
pub(crate) mod wait;
