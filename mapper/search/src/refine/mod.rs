//! Refinements: algorithms that improve a placement move by move, whichever heuristic made it.
//!
//! Refinements know machines and weights, but no heuristic. Heuristics may use refinements.

mod amount;
pub(crate) mod chain;
mod congestion;
mod exhaust;
mod grid;
mod inside;
mod links;
mod seating;
pub(crate) mod site_assignment;
pub(crate) mod subtree;
mod swap;
mod tabu;
mod time;
mod within_rules;

pub(crate) use amount::{Amount, fits_i64};
pub(crate) use chain::Chain;
pub(crate) use congestion::Descent;
pub(crate) use exhaust::Exhaust;
pub(crate) use grid::{Anneal, anneals_once};
pub(crate) use inside::Inside;
pub(crate) use subtree::Subtree;
pub use swap::Swap;
pub(crate) use tabu::{Tabu, suits_tabu};
pub(crate) use time::{AnnealTime, anneals_decide};
pub(crate) use within_rules::WithinRules;
