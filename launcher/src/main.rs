//! `rankfold`: profile, map, relaunch, verify.
//!
//! The front door. The commands that start MPI programs live here, the others in the mapper's
//! library. A launch is the user's own command with words inserted, never a command of ours.
#![forbid(unsafe_code)]

mod commands;
mod diagnosis;
mod error;
mod job;
mod launch;
mod launchers;
mod library;
mod placement;
mod session;
mod signals;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::Cli::parse().run() {
        Ok(status) => ExitCode::from(status),
        Err(error) => error::report(&error),
    }
}
