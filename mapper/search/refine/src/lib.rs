//! Refinements: algorithms that improve a placement move by move, whichever heuristic made it. The
//! open set is [`REFINEMENTS`]: one trait ([`Refinement`]), one file per member.
//!
//! Refinements know machines and weights, but no heuristic. Heuristics may use refinements.
//!
//! Constants whose comments name no measurement are chosen by hand. `scripts/bench tuning` halves
//! and doubles each of them.
#![forbid(unsafe_code)]

mod amount;
pub mod chain;
mod congestion;
mod exhaust;
mod grid;
mod inside;
mod links;
mod seating;
pub mod site_assignment;
pub mod subtree;
mod swap;
mod tabu;
mod time;
mod within_rules;

pub use amount::{Amount, fits_i64};
pub use chain::Chain;
pub use grid::anneals_once;
use rankfold_problem::heuristic::Refinement;
pub use swap::Swap;
pub use tabu::suits_tabu;
pub use time::anneals_decide;

/// All refinements, in the order they run.
pub const REFINEMENTS: &[&dyn Refinement] = &[
    &Swap,
    &Chain,
    &subtree::Subtree,
    &grid::Anneal,
    &inside::Inside,
    &within_rules::WithinRules,
    &exhaust::Exhaust,
    &tabu::Tabu,
    &congestion::Descent,
    &time::AnnealTime,
];
