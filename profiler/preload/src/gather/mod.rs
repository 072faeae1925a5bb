//! Communication among the ranks of a run, over the program's own MPI: which ranks have loaded the
//! library, data from every rank to rank 0 and back, and exchanges between any ranks.

pub mod endpoint;
pub mod exchange;
mod layout;
pub mod own_comm;
pub mod presence;
mod tree;
pub mod wait;
