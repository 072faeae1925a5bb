//! `rankfold-map`: the commands of rankfold that need no launch.
#![forbid(unsafe_code)]

use clap::{CommandFactory, Parser};
use rankfold_console::terminal;
use rankfold_mapper::cli::{self, Command, command_line};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  rankfold-map analyze app.rfp
  rankfold-map map app.rfp --machine torus:4x4x4 --hosts hosts --to slurm -o app.map
  rankfold-map help machines";

/// Place the ranks of an MPI program on a machine: all commands of rankfold that start no program
///
/// The manual page of the command `rankfold map` is rankfold-map-map(1).
#[derive(Parser)]
#[command(name = "rankfold-map", version, long_version = version(), before_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    terminal: terminal::Args,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let cli: Cli = command_line::parse(whole(), |_| None);
    cli.terminal.apply();
    match cli.command.run(whole, &[]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => cli::failed(&error),
    }
}

/// The text of `--version`; `-V` is its first line.
fn version() -> String {
    let (version, features) = (env!("CARGO_PKG_VERSION"), command_line::features());
    format!("{version}\nfeatures   {features}")
}

fn whole() -> clap::Command {
    command_line::dressed(Cli::command())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_command_line_is_consistent() {
        whole().debug_assert();
    }
}
