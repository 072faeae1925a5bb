//! Refinements: placements made better, move by move.

pub(crate) mod chain;
pub(crate) mod crew;
pub(crate) mod neighbourhood;
mod seating;
pub(crate) mod subtree;
mod swap;

pub(crate) use seating::{Amount, fits_i64};
pub use swap::Swap;
