//! From every rank to rank 0 and back, over the program's own MPI.

pub mod exchange;
pub mod lane;
mod layout;
pub mod muster;
pub mod private;
mod tree;
pub mod wait;
