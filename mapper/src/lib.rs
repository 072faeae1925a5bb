//! The commands that need no launch, shared by `rankfold` and `rankfold-map`.
//!
//! What things are is in `rankfold-model`, how placements are found in `rankfold-search`; here is
//! what turns a command line into calls of both, and results into text, JSON and files.
#![forbid(unsafe_code)]

pub mod cli;
pub mod error;
pub mod parallel;
