//! `rankfold`: profile, map, relaunch, verify.
//!
//! The front door. The commands that start MPI programs live here, the others in the mapper's
//! library. A launch is the user's own command with words inserted, never a command of ours.
#![forbid(unsafe_code)]

mod cache;
mod commands;
mod diagnosis;
mod discovery;
mod doctor;
mod error;
mod harvest;
mod job;
mod launch;
mod launchers;
mod library;
mod other_hosts;
mod own_ranks;
mod placement;
mod placing_method;
mod probe;
mod rank_mapper;
mod session;
mod signal_observer;
mod signals;
mod tool;
mod traces;

use error::LaunchError;
use rankfold_mapper::cli::terminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::Cli::read().run() {
        Ok(status) => ExitCode::from(status),
        Err(error) => report(&error),
    }
}

/// Tells the user what went wrong: status 2 for bad input, 1 for anything else of ours.
fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<LaunchError>() {
        Some(error) => {
            terminal::error(error);
            ExitCode::from(2)
        }
        None => rankfold_mapper::cli::failed(error),
    }
}
