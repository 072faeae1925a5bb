//! The report on a run: one data structure, and one HTML file that shows it.
//!
//! ```text
//! graph + machine + placements + profile ──gather──> data::Report ──page──> report.html
//!                                                        └──serde──> --json
//! ```
//!
//! [`gather`] computes all data of a report; [`page`] draws the page from [`data`] alone. Where a
//! run or a machine is too large to draw pair by pair or link by link, the data holds blocks of
//! ranks or links instead.
//!
//! ```
//! use rankfold_graph::CommGraph;
//! use rankfold_machine::{Machine, self as machine};
//! use rankfold_base::{Placement, Rank};
//! use rankfold_graph::Message;
//! use rankfold_report::gather::{ReportInput, NamedPlacement, gather};
//!
//! let message = |from, to| Message { from: Rank(from), to: Rank(to), bytes: 1000 };
//! let graph = CommGraph::from_messages(4, [message(0, 3), message(3, 0), message(1, 2)])?;
//! let machine = Machine::uniform(machine::parse("torus:4")?, 1);
//! let block = Placement::block(4);
//! let sides = [NamedPlacement::new("as launched", &block), NamedPlacement::new("placed", &block)];
//! let scene = ReportInput::new("ring", &graph).on(&machine, sides);
//! let report = gather(&scene);
//! assert_eq!(report.sides[0].figures.hop_bytes(), 3000.0);
//! let page = rankfold_report::page::html(&report);
//! assert!(page.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod data;
pub mod gather;
pub mod page;
