//! How placements are found: heuristics make them, refinements improve them, [`select`] runs both and picks the best.
//!
//! Open sets are one trait, one file a member, one visible list: [`heuristic::Heuristic`] in [`select::HEURISTICS`],
//! [`heuristic::Refinement`] in [`select::REFINEMENTS`].
#![forbid(unsafe_code)]

pub mod heuristic;
pub mod irregular;
pub mod objective;
pub mod refine;
pub mod regular;
pub mod select;
#[cfg(test)]
mod testing;
mod weights;
