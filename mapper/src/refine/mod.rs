//! Refinements: placements made better, move by move.

mod seating;
mod swap;

pub(crate) use seating::{Amount, fits_i64};
pub use swap::Swap;
