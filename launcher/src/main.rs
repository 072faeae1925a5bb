//! The program `rankfold`: profiles an MPI run, maps its ranks, relaunches and verifies.
//!
//! The commands that start MPI programs are in this crate, all others are in the library of the
//! mapper. A launch is always the user's own command with words inserted.
#![forbid(unsafe_code)]

mod c10d_hook;
mod commands;
mod discovery;
mod doctor;
mod harvest;
mod job;
mod library;
mod other_hosts;
mod own_ranks;
mod probe;
mod rank_mapper;
mod seats;
mod session;
mod signal_observer;
mod signals;
mod torchrun_nodes;
mod traces;
mod user_name;

use rankfold_launch::error::LaunchError;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::survive_size_limit();
    match commands::run() {
        Ok(status) => ExitCode::from(status),
        Err(error) => report(&error),
    }
}

/// Prints an error. The exit status is 2 for bad input and 1 for any other error of rankfold.
fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<LaunchError>() {
        Some(error) => rankfold_mapper::cli::refused(error.to_string()),
        None => rankfold_mapper::cli::failed(error),
    }
}
