//! Heuristics for any communication graph.

mod analytical;
mod bundles;
mod exact_bisector;
mod ltm_greedy;
mod ltm_recursive;
mod ltm_ta;
pub(crate) mod multisection;
mod network;
mod next_process;
mod ohtma;
mod ptram;
mod rcm;
mod spectral;

pub use analytical::{Analytical, AnalyticalBft};
pub use ltm_greedy::LtmGreedy;
pub use ltm_recursive::LtmRecursive;
pub use ltm_ta::LtmTa;
pub use multisection::Multisection;
pub use ohtma::Ohtma;
pub use ptram::{Ptram, PtramFixed};
pub use rcm::Rcm;
pub use spectral::{Spectral, SpectralPlane};
