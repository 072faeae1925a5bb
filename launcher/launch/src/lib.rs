//! A launch of MPI programs: the user's command taken apart, by launcher; what words are inserted
//! for a placement, and how the placement is verified; what the site and the user have set.
#![forbid(unsafe_code)]

pub mod config;
pub mod diagnosis;
pub mod error;
pub mod launch;
pub mod launchers;
pub mod placement;
pub mod placing_method;
pub mod slurm;
pub mod tool;
