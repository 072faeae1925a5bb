//! Heuristics for any communication graph.

mod analytical;
mod bundles;
mod ltm_greedy;
mod network;
mod ohtma;
mod ptram;
mod rcm;
mod spectral;
mod talkative;

pub use analytical::{Analytical, AnalyticalBft};
pub use ltm_greedy::LtmGreedy;
pub use ohtma::Ohtma;
pub use ptram::{Ptram, PtramFixed};
pub use rcm::Rcm;
pub use spectral::Spectral;
