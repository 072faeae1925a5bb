//! Heuristics for any communication graph.

mod ltm_greedy;
mod network;
mod rcm;
mod spectral;

pub use ltm_greedy::LtmGreedy;
pub use rcm::Rcm;
pub use spectral::{Spectral, SpectralPlane};
