//! The command line: the commands that launch, and those of the mapper.

mod profile;
mod run;
mod summary;

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
    #[command(flatten)]
    Mapper(cli::Command),
}

impl Cli {
    /// Runs the command; returns the exit status.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        match self.command {
            Command::Profile(args) => profile::run(&args),
            Command::Run(args) => run::run(&args),
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
