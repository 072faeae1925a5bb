//! The command line: the commands that start MPI programs, and the commands of the mapper.

mod cache;
mod clean;
mod doctor;
mod host_task;
mod machine;
mod probe;
mod profile;
mod profile_watch;
mod recover;
mod run;
mod script;
mod summary;
mod version;

use crate::{other_hosts, signal_observer};
use anyhow::Context;
use clap::CommandFactory;
use rankfold_mapper::cli::{self, command_line, terminal};

const EXAMPLES: &str = "\
Examples:
  rankfold profile -o app.rfp -- mpirun -n 64 ./app args     count who sends whom how much
  rankfold map app.rfp --machine torus:4x4x4 -o app.map      place the ranks
  rankfold run --map app.map -- mpirun -n 64 ./app args      launch with the placement, verify it
  rankfold run --machine torus:4x4x4 --hosts hosts -- mpirun -n 64 ./app    all three at once";

/// Fold the ranks of an MPI program onto the machine it runs on
#[derive(Debug, clap::Parser)]
#[command(version, long_version = version::long(), before_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    terminal: terminal::Args,
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
    /// Measure the machine by its own MPI, and write a machine file
    Probe(probe::Args),
    /// Be a rank that measures
    #[command(name = probe::RANK, hide = true)]
    ProbeRank(probe::RankArgs),
    /// Be a rank of a launch that is examined
    #[command(name = doctor::RANK, hide = true)]
    DoctorRank(doctor::RankArgs),
    /// List, show or clear what earlier runs have stored
    Cache(cache::Args),
    /// Fetch or remove what a run has left on this host
    #[command(name = other_hosts::COMMAND, hide = true)]
    HostTask(host_task::Args),
    /// A launch in a script
    #[command(name = script::COMMAND, hide = true)]
    Step(script::Args),
    /// Tell what signals arrive, for the process that started this one
    #[command(name = signal_observer::COMMAND, hide = true)]
    ObserveSignals,
    #[command(flatten)]
    Mapper(cli::Command),
}

/// The whole command line, with the styles and the help of the mapper's commands.
fn whole() -> clap::Command {
    command_line::dressed(Cli::command())
}

impl Cli {
    /// Parses the arguments of this process. `--help` and `--version` end the process with status
    /// 0, mistakes end it with status 2.
    pub(crate) fn read() -> Self {
        command_line::parse(whole())
    }

    /// Runs the command; returns the exit status.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        self.terminal.apply();
        match self.command {
            Command::Profile(args) if script::is_one(&args.launch) => script::run(
                &args.launch,
                args.output.as_deref(),
                args.time,
                args.dry_run,
            ),
            Command::Profile(args) => profile::run(&args),
            Command::Run(args) => run::run(&args),
            Command::Recover(args) => recover::run(&args),
            Command::Clean(args) => clean::run(&args),
            Command::Probe(args) => probe::run(&args),
            Command::ProbeRank(args) => probe::rank(&args),
            Command::Doctor(args) => doctor::run(&args),
            Command::DoctorRank(args) => doctor::rank(&args),
            Command::HostTask(args) => host_task::run(&args),
            Command::Step(args) => script::step(&args),
            Command::ObserveSignals => signal_observer::observe()
                .map(|()| 0)
                .context("cannot catch signals"),
            Command::Cache(args) => cache::run(&args),
            Command::Mapper(cli::Command::Machine(args)) if args.show().is_some() => {
                args.show().map_or(Ok(0), machine::show)
            }
            Command::Mapper(command) => command.run(whole).map(|()| 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{ArgMatches, Command};

    #[test]
    fn the_command_line_is_consistent() {
        whole().debug_assert();
    }

    /// Commands people see, those below commands included.
    fn shown(command: &Command) -> Vec<&Command> {
        let below = command.get_subcommands().filter(|c| !c.is_hide_set());
        let below = below.flat_map(|command| [vec![command], shown(command)].concat());
        below.collect()
    }

    fn parsed(line: &str) -> Result<ArgMatches, clap::Error> {
        // The shell would take the redirection away.
        let line = line.split(" > ").next().unwrap_or(line);
        whole().try_get_matches_from(shlex::split(line).unwrap_or_default())
    }

    #[test]
    fn every_command_begins_with_examples_that_are_right() {
        let whole = whole();
        for command in [vec![&whole], shown(&whole)].concat() {
            let name = command.get_name();
            let examples = command.get_before_help().map(ToString::to_string);
            if name == "heuristics" {
                assert_eq!(examples, None, "it takes no arguments");
                continue;
            }
            let examples = examples.unwrap_or_else(|| panic!("{name} has no examples"));
            let lines = examples
                .lines()
                .filter_map(|line| line.strip_prefix("  rankfold"));
            let mut lines = lines.peekable();
            assert!(lines.peek().is_some(), "{name}: {examples}");
            for line in lines {
                // The words in a second column say what the example does.
                let words = line.split("  ").next().unwrap_or(line);
                let line = format!("rankfold{words}");
                if let Err(error) = parsed(&line) {
                    panic!("{line}: {error}");
                }
            }
        }
    }

    #[test]
    fn who_mistypes_a_word_is_told_the_nearest() {
        for (line, meant) in [
            ("rankfold analyse a.rfp", "analyze"),
            ("rankfold map a.rfp --machin torus:2x2", "--machine"),
            (
                "rankfold map a.rfp --machine x --heuristic spectrall",
                "spectral",
            ),
            ("rankfold map a.rfp --machine x --to opnempi5", "openmpi5"),
            ("rankfold map a.rfp --machine x --objective tyme", "time"),
            ("rankfold machine import slrum topology.conf", "slurm"),
        ] {
            let error = parsed(line).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            let told = error.to_string();
            assert!(told.contains("tip:") && told.contains(meant), "{told}");
        }
    }
}
