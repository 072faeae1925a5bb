//! The structure of a network from measured latencies between its hosts.
//!
//! Latencies grow with the links on the way, and each host adds something of its own. What the
//! hosts add is taken out by centring the matrix; then a torus or mesh shows in the eigenvectors of
//! the matrix (`grid`), a tree in the clusters of average linkage (`tree`). Which of them it is,
//! and whether it is anything at all, is decided by latencies that the fit has not seen
//! ([`decide()`]). Nothing here measures; the same input gives the same answer.
#![forbid(unsafe_code)]

mod centre;
mod decide;
mod grid;
mod machine_file;
pub mod simulated;
#[cfg(test)]
mod tests;
mod tree;

pub use decide::{Certainty, NetworkStructure, Reconstruction, best_fit, decide};
pub use machine_file::{MeasuredNetwork, machine_file};
pub use tree::adjusted_rand_index;

use nalgebra::DMatrix;

/// Shortest latency of every pair of hosts, in any unit; symmetric, and only off the diagonal.
pub type Latencies = DMatrix<f64>;
