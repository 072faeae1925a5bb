//! Heuristics for any communication graph.

mod analytical;
mod bundles;
mod exact_bisector;
mod init_part;
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

pub(crate) use analytical::{Analytical, AnalyticalBft};
pub(crate) use init_part::InitPart;
pub(crate) use ltm_greedy::LtmGreedy;
pub(crate) use ltm_recursive::LtmRecursive;
pub(crate) use ltm_ta::{LTM_GREEDY_TA, LTM_RECURSIVE_TA, LTM_TA, RCM_TA};
pub(crate) use multisection::Multisection;
pub(crate) use ohtma::Ohtma;
pub(crate) use ptram::{Ptram, PtramFixed};
pub(crate) use rcm::Rcm;
pub(crate) use spectral::{Spectral, SpectralPlane};
