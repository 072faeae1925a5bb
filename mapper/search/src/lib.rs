//! The search for placements: heuristics make placements, refinements improve them, and [`select`]
//! runs both and picks the best.
//!
//! Most callers need [`select::select`] alone:
//!
//! ```
//! use rankfold_formats::{READERS, Readers, RunPart};
//! use rankfold_machine::{Machine, self as machine};
//! use rankfold_mapfile as mapfile;
//! use rankfold_search::select::{Request, select};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("rankfold-search-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (matrix, map) = (folder.join("ring.mtx"), folder.join("ring.map"));
//! # let entry = |rank: usize| format!("{} {} 1000\n", rank + 1, (rank + 5) % 16 + 1);
//! # let entries: String = (0..16).map(entry).collect();
//! # let head = "%%MatrixMarket matrix coordinate integer general\n16 16 16\n";
//! # std::fs::write(&matrix, format!("{head}{entries}"))?;
//! // Bytes from rank to rank.
//! let graph = Readers(&[READERS]).read(&[matrix], &RunPart::default())?.traffic.into_graph()?;
//! let machine = Machine::uniform(machine::parse("torus:4x4")?, 1); // one rank a node
//! let selection = select(&graph, &machine, &Request::default())?;
//! let (candidate, solution) = selection.winner();
//! println!("{}: {} hops a byte", candidate.heuristic, solution.score().hops_per_byte);
//! let written = mapfile::format("nodes")?.write(&solution.placement(), &machine)?;
//! std::fs::write(map, written.content)?;
//! # assert!(solution.score().hop_bytes < selection.block.assessment.score().hop_bytes);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! Each open set is one trait, one file a member, and one list. The list of heuristics is
//! [`select::HEURISTICS`], that of refinements [`rankfold_refine::REFINEMENTS`], and that of
//! objectives [`rankfold_problem::objective::OBJECTIVES`].
//!
//! Constants whose comments name no measurement are chosen by hand. `scripts/bench tuning` halves
//! and doubles each of them; TUNING.md says which matter.
//!
//! A program that embeds the search passes members of its own in a [`select::Request`]. A member
//! can be run by itself on a [`rankfold_problem::heuristic::Problem`].
#![forbid(unsafe_code)]

pub mod irregular;
pub mod regular;
pub mod select;
