//! Heuristics of papers that no default search uses: they take part at effort best, or by name. A
//! program names [`HEURISTICS`] in the portfolio of its searches; the search itself knows none of
//! them.
#![forbid(unsafe_code)]

mod analytical;
mod init_part;
mod ltm_recursive;
mod ltm_ta;
mod next_process;
mod ohtma;
mod ptram;

use rankfold_problem::heuristic::Heuristic;

/// All heuristics of this crate, in the order they run.
pub const HEURISTICS: &[&dyn Heuristic] = &[
    &ltm_recursive::LtmRecursive,
    &ltm_ta::LTM_TA,
    &ltm_ta::LTM_GREEDY_TA,
    &ltm_ta::LTM_RECURSIVE_TA,
    &ltm_ta::RCM_TA,
    &analytical::Analytical,
    &analytical::AnalyticalBft,
    &ohtma::Ohtma,
    &init_part::InitPart,
    &ptram::Ptram,
    &ptram::PtramFixed,
];
