//! The structure of a network from measured latencies between its hosts.
//!
//! The latency between two hosts grows with the number of links between them, and each host adds a
//! delay of its own. Centring the matrix of latencies removes the delays of the hosts. The
//! eigenvectors of the centred matrix show a torus or a mesh (`grid`), average linkage shows a tree
//! of switches (`tree`). [`decide()`] chooses between grid, tree and no structure by latencies that
//! were not used for the fit.
//!
//! ```text
//!  latencies of the odd passes      latencies of the even passes
//!           │ fit grid, tree                │ fit grid, tree
//!           └──────────── judged by ────────┘        q = mean correlation / sqrt(ceiling)
//!                            │
//!       q >= SURE: torus:4x4 and the node of each host, or the switches of a tree
//!       q >= LIKELY: the levels of a tree that the fits of both halves share
//!       else: hosts only, on one switch
//! ```
//!
//! For n hosts the cost is O(n^3): the eigenvectors, the assignment of hosts to grid points, and
//! one pass of the exchanges that follow each take that long. `scripts/bench probe` measures, on
//! simulated networks, how many links are recovered and how long a decision takes.
//!
//! This crate measures nothing itself ([`simulated`] is for tests and the benchmark). The same
//! latencies and seed give the same result.
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

/// The shortest latency of every pair of hosts, in any unit. The matrix is symmetric; its diagonal
/// is ignored.
pub type Latencies = DMatrix<f64>;
