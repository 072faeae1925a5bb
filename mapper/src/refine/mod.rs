//! Refinements: placements made better, move by move.

mod inside;
mod seating;
mod swap;

pub use inside::Inside;
pub use swap::Swap;
