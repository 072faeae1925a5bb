//! The mapper: who talks to whom, what the machine looks like, and which rank should sit where.
//!
//! Data flows one way through this crate:
//!
//! ```text
//! comm (bytes per rank pair) ─┐
//! pattern (regular? which?) ──┼─> select: heuristics, refinement, scores ─> placement ─> mapfile
//! machine (nodes, routes) ────┘
//! ```
//!
//! A newcomer adds to it in one of the open sets, each one trait, one file a member, one visible list:
//! [`machine::Topology`], [`heuristic::Heuristic`], [`heuristic::Refinement`], [`mapfile::MapfileFormat`].
//!
//! Every number follows the conventions stated in [`metric`].
#![forbid(unsafe_code)]

pub mod cli;
pub mod comm;
pub mod error;
pub mod heuristic;
pub mod ids;
pub mod irregular;
pub mod machine;
pub mod mapfile;
pub mod metric;
pub mod pattern;
pub mod placement;
pub mod refine;
pub mod regular;
mod renumbered;
pub mod select;
#[cfg(test)]
mod testing;

pub use comm::{Affinity, CommGraph};
pub use error::Error;
pub use ids::{ChannelId, CoreId, NodeId, Rank, SlotId};
pub use machine::Machine;
pub use placement::Placement;
