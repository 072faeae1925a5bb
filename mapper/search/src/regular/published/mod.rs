//! The heuristics of Bhatele, Gupta, Kale and Chung, "Automated mapping of regular communication
//! graphs on mesh interconnects", 2010, as published.
//!
//! Each heuristic maps a 2D *object grid* onto a *processor mesh* with as many cells; `step` takes
//! larger meshes as well. Where nodes have several cores, a cell of the object grid is a brick of
//! ranks that fills one node, as square as the sizes allow; table I of the paper blocks 2x2 ranks a
//! node. No heuristic uses wrap-around links, but the score of the result counts them. Where the
//! text leaves a choice open, the member's documentation says which choice was made.

use rankfold_problem::heuristic::Heuristic;

/// Most ranks for which the members take part without being asked for by name. `reshape` is far
/// ahead of the members for more ranks; no measurement of this limit is recorded.
pub(super) const AFFORDABLE: usize = 4096;

/// The members that `reshape` compares itself with: all but `pairs`, which takes much longer.
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
mod bhatele;
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
pub use bhatele::Bhatele;
pub use coce::COCE;
pub use coce_sorted::COCE_SORTED;
pub use exco::EXCO;
pub use exco_sorted::EXCO_SORTED;
pub use folding::FOLDING;
pub use hilbert::Hilbert;
pub use mxov_al::MXOV_AL;
pub use mxovlp::MXOVLP;
pub use pairs::{PAIRS, Pairs};
pub use plane::PlaneHeuristic;
pub use slabs::SlabHeuristic;
pub use stacking::STACKING;
pub use step::STEP;

#[cfg(test)]
mod tests;
