//! Refinements: placements made better, move by move.

mod seating;
mod swap;

pub use swap::Swap;
