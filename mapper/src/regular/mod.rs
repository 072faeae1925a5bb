//! Heuristics for grids of ranks, and the orders that need no knowledge of the traffic at all.

mod block;

pub use block::Block;
