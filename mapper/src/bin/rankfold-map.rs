//! `rankfold-map`: everything of rankfold that needs no launch.
#![forbid(unsafe_code)]

use clap::Parser;
use rankfold_mapper::cli::{self, Command};
use std::process::ExitCode;

/// Fold the ranks of an MPI program onto a machine
#[derive(Parser)]
#[command(name = "rankfold-map", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => cli::failed(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
