//! Refinements: placements made better, move by move.

pub(crate) mod chain;
pub(crate) mod crew;
pub(crate) mod neighbourhood;
mod seating;
pub(crate) mod subtree;
mod swap;

pub use swap::Swap;
