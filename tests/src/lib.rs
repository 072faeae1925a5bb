//! Shared helpers of the end-to-end tests: MPI libraries and programs, real launches, clusters made
//! of namespaces, and traffic matrices from every source that can judge ours.
#![forbid(unsafe_code)]

pub mod binding;
pub mod browser;
pub mod cluster;
pub mod documents;
pub mod mapper;
pub mod matrix;
pub mod monitoring;
pub mod mpi;
pub mod process;
pub mod program;
pub mod rankfold;
pub mod sizes;
