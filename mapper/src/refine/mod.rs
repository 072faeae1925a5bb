//! Refinements: placements made better, move by move.

mod grid;
mod seating;
mod swap;

pub use grid::Anneal;
pub use swap::Swap;
