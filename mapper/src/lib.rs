//! The commands that need no launch, shared by `rankfold` and `rankfold-map`.
//!
//! The crate turns a command line into calls of `rankfold-search` and the crates below it, and
//! their results into text, JSON and files.
#![forbid(unsafe_code)]

pub mod cli;
pub mod document;
pub mod error;
pub mod members;
pub mod parallel;
