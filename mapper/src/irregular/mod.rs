//! Heuristics for any communication graph.

mod ltm_greedy;
pub(crate) mod multisection;
mod network;
mod rcm;
mod spectral;

pub use ltm_greedy::LtmGreedy;
pub use multisection::Multisection;
pub use rcm::Rcm;
pub use spectral::{Spectral, SpectralPlane};
