//! The suite of Bhatele, Gupta, Kale and Chung, "Automated mapping of regular communication graphs
//! on mesh interconnects", 2010, as published. Where the text leaves a choice, the member says how
//! it is made.
//!
//! An *object grid* is mapped onto a *processor mesh* with as many cells. With several cores a node
//! the object grid is one of node bricks, as square as the sizes allow: the paper's table I blocks
//! 2x2 ranks a node. Wrap-around links are no part of any of these heuristics, but count in the
//! score.

use crate::heuristic::Heuristic;

/// Ranks up to which the suite takes part without being asked for.
pub(super) const AFFORDABLE: usize = 4096;

/// All but the random exchanges, which take much longer.
pub(super) const SUITE: [&dyn Heuristic; 11] = [
    &MXOVLP,
    &MXOV_AL,
    &EXCO,
    &EXCO_SORTED,
    &COCE,
    &COCE_SORTED,
    &AFFN,
    &STEP,
    &STACKING,
    &FOLDING,
    &Hilbert,
];

mod affn;
mod coce;
mod coce_sorted;
mod exco;
mod exco_sorted;
mod folding;
mod hilbert;
mod member;
mod mxov_al;
mod mxovlp;
mod object;
mod pairs;
mod plane;
mod slabs;
mod stacking;
mod step;

pub use affn::AFFN;
pub use coce::COCE;
pub use coce_sorted::COCE_SORTED;
pub use exco::EXCO;
pub use exco_sorted::EXCO_SORTED;
pub use folding::FOLDING;
pub use hilbert::Hilbert;
pub use mxov_al::MXOV_AL;
pub use mxovlp::MXOVLP;
pub use pairs::Pairs;
pub use plane::PlaneHeuristic;
pub use slabs::SlabHeuristic;
pub use stacking::STACKING;
pub use step::STEP;

#[cfg(test)]
mod tests;
