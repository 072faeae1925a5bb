//! Communication graphs, machines and placements, and the metrics of a placement.
//!
//! ```text
//! comm (bytes per rank pair) ────> pattern (is it a grid? which?)
//! machine (nodes, routes, slots) ─┐
//! placement (rank -> slot) ───────┴─> metric (every figure of a placement)
//!                                 └─> mapfile (a placement in a launcher's syntax)
//! ```
//!
//! Read a matrix, describe a machine, score a placement, write a mapfile:
//!
//! ```
//! use rankfold_model::{Machine, Placement, comm, machine, mapfile, metric};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let file = dir.path().join("app.mtx");
//! # let banner = "%%MatrixMarket matrix coordinate integer general";
//! # std::fs::write(&file, format!("{banner}\n4 4 2\n1 4 100\n2 3 50\n"))?;
//! let graph = comm::read(&[file], &comm::RunPart::default())?.traffic.into_graph()?;
//! let machine = Machine::new(machine::load("torus:4")?, 1, None)?;
//! machine.check_fits(graph.ranks())?;
//! let score = metric::score(&graph, &machine, &Placement::block(4));
//! // Ranks 0 and 3 are neighbours on the ring.
//! assert_eq!((score.hop_bytes, score.max_congestion), (150, 100.0));
//! let written = mapfile::format("nodes")?.write(&Placement::block(4), &machine)?;
//! assert_eq!(written.content, b"0\n1\n2\n3\n");
//! # Ok(())
//! # }
//! ```
//!
//! Modules may use only modules of the levels before them: `ids`, `csr`, `words`; `comm`,
//! `placement`; `machine`, `renumbered`; then `pattern`, `metric`, `mapfile`, `samples` and
//! `sites`, which do not use one another; and last `certificate`.
//!
//! Whatever can be extended is a trait with one file for each member and one list of all members:
//! [`machine::Topology`] in [`machine::FAMILIES`], [`machine::import::Importer`], [`comm::Reader`],
//! [`mapfile::MapfileFormat`].
//!
//! All numbers follow the conventions stated in [`metric`].
#![forbid(unsafe_code)]

pub mod certificate;
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
pub mod sites;
pub mod words;

pub use comm::{Affinity, CommGraph};
pub use csr::Csr;
pub use ids::{ChannelId, CoreId, NodeId, Rank, SlotId};
pub use machine::Machine;
pub use placement::Placement;
