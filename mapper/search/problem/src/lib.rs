//! What a search is asked ([`heuristic::Problem`]), and the traits of the open sets that it draws
//! from: [`heuristic::Heuristic`], [`heuristic::Refinement`], [`objective::Objective`]. No member
//! but the objectives is here.
#![forbid(unsafe_code)]

pub mod heuristic;
pub mod member_options;
pub mod objective;
pub mod team;
pub mod testing;
pub mod weights;
