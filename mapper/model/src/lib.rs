//! What things are and what they are worth: who talks to whom, what the machine looks like, and how good a placement is.
//!
//! ```text
//! comm (bytes per rank pair) ──> pattern (a grid? which?)
//! machine (nodes, routes, slots) ─┐
//! placement (rank -> slot) ───────┴──> metric (every figure of a placement) , mapfile (a placement in a launcher's syntax)
//! ```
//!
//! Open sets are one trait, one file a member, one visible list: [`machine::Topology`] in [`machine::FAMILIES`],
//! [`machine::import::Importer`], [`comm::Reader`], [`mapfile::MapfileFormat`].
//!
//! Every number follows the conventions stated in [`metric`].
#![forbid(unsafe_code)]

pub mod comm;
mod csr;
pub mod ids;
pub mod machine;
pub mod mapfile;
pub mod metric;
pub mod pattern;
pub mod placement;
pub mod renumbered;
pub mod samples;
pub mod words;

pub use comm::{Affinity, CommGraph};
pub use csr::Csr;
pub use ids::{ChannelId, CoreId, NodeId, Rank, SlotId};
pub use machine::Machine;
pub use placement::Placement;
