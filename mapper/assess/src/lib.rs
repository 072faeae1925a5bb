//! One case, one assessment.
//!
//! A [`Case`] says what is placed on which machine, what a placement is compared with, and what
//! it keeps. An [`Assessor`] computes the figures of placements of that case: the times of all
//! placements that are assessed together come from one predictor. An [`Assessment`] holds its
//! placement, and nothing else makes one, so no figure can stand beside another placement than its
//! own.
//!
//! ```
//! use rankfold_assess::{Assessor, Bounds, Case};
//! use rankfold_metric::BoundEffort;
//! use rankfold_graph::samples::star_stencil;
//! use rankfold_machine::samples::machine;
//! use rankfold_base::Placement;
//!
//! let (graph, machine) = (star_stencil(&[4, 4], true), machine("torus:4x4", 1));
//! let case = Case::new(&graph, &machine);
//! let (block, other) = (case.block(), Placement::block(16));
//! let (both, predicted) = Assessor::new(&case).assess(&[&block, &other]);
//! let bounds = Bounds::of(&case, BoundEffort::Standard);
//! assert!(bounds.hop_bytes <= both[0].score().hop_bytes);
//! assert!(both.iter().all(|one| one.time().predictor() == predicted.predictor()));
//! ```
#![forbid(unsafe_code)]

mod assessment;
mod assessor;
mod bounds;
mod case;
mod cells;
mod constraints;
mod hosts;
mod predicted;
mod saving;

pub use assessment::{AllPaths, Assessment};
pub use assessor::{Assessor, PredictBy};
pub use bounds::Bounds;
pub use case::{Case, Reference, Unit};
pub use cells::CellCase;
pub use constraints::{Constraints, Demand, Infeasible, Rule, Seat, Sizes, Start};
pub use hosts::HostCase;
pub use predicted::Predicted;
pub use saving::{Saving, saved};
