//! Heuristics for any communication graph.

pub mod bundles;
pub mod exact_bisector;
mod ltm_greedy;
mod multisection;
mod network;
mod rcm;
mod spectral;

pub use ltm_greedy::LtmGreedy;
pub(crate) use multisection::Multisection;
pub use rcm::Rcm;
pub(crate) use spectral::{Spectral, SpectralPlane};
