//! Refinements: placements made better, move by move.

pub(crate) mod chain;
pub(crate) mod congestion;
mod grid;
mod inside;
pub(crate) mod site_assignment;

mod seating;
pub(crate) mod subtree;
mod swap;

pub use chain::Chain;
pub use grid::Anneal;
pub use inside::Inside;
pub(crate) use seating::{Amount, fits_i64};
pub use subtree::Subtree;
pub use swap::Swap;
