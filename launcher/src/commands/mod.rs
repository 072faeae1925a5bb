//! The command line: the commands that launch, and those of the mapper.

mod clean;
mod doctor;
mod errand;
mod profile;
mod recover;
mod run;
mod summary;

use crate::{far, witness};
use anyhow::Context;
use rankfold_mapper::cli;

/// Fold the ranks of an MPI program onto the machine it runs on
#[derive(Debug, clap::Parser)]
#[command(version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Run a program with the profiler and write one profile
    Profile(profile::Args),
    /// Relaunch a program with a placement, and verify it in process
    Run(run::Args),
    /// Find what ended runs have left, and make their profiles
    Recover(recover::Args),
    /// Remove what ended runs have left
    Clean(clean::Args),
    /// Find out whether a launcher and its MPI place ranks as told and return the right data there
    Doctor(doctor::Args),
    /// Be a rank of a launch that is examined
    #[command(name = doctor::RANK, hide = true)]
    DoctorRank(doctor::RankArgs),
    /// Fetch or remove what a run has left on this host
    #[command(name = far::COMMAND, hide = true)]
    Errand(errand::Args),
    /// Tell what signals arrive, for the process that started this one
    #[command(name = witness::COMMAND, hide = true)]
    Witness,
    #[command(flatten)]
    Mapper(cli::Command),
}

impl Cli {
    /// Runs the command; returns the exit status.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        match self.command {
            Command::Profile(args) => profile::run(&args),
            Command::Run(args) => run::run(&args),
            Command::Recover(args) => recover::run(&args),
            Command::Clean(args) => clean::run(&args),
            Command::Doctor(args) => doctor::run(&args),
            Command::DoctorRank(args) => doctor::rank(&args),
            Command::Errand(args) => errand::run(&args),
            Command::Witness => witness::stand().map(|()| 0).context("cannot catch signals"),
            Command::Mapper(command) => command.run().map(|()| 0),
        }
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
