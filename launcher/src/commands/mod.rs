//! The command line: the commands that start MPI programs, and the commands of the mapper.

mod cache;
mod clean;
mod config;
mod default_options;
mod doctor;
mod host_task;
mod machine;
mod off;
mod probe;
mod profile;
mod profile_watch;
mod recover;
mod run;
mod script;
mod summary;
mod version;

use crate::config::{Configuration, SiteSettings};
use crate::error::LaunchError;
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
    /// Show what the site's and the user's files and the environment say, and which of them
    Config(config::Args),
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

/// Reads the configuration and the command line of this process, and runs the command; returns the
/// exit status. `--help` and `--version` end the process with status 0, mistakes in the command
/// line end it with status 2.
pub(crate) fn run() -> anyhow::Result<u8> {
    let whole = whole();
    let configuration = default_options::configuration(&whole);
    let whole = default_options::with_defaults(whole, &configuration);
    command_line::parse::<Cli>(whole).run(&configuration)
}

impl Cli {
    fn run(self, configuration: &Configuration) -> anyhow::Result<u8> {
        self.terminal.apply();
        let settings = || -> Result<&SiteSettings, LaunchError> { Ok(configuration.checked()?) };
        match self.command {
            Command::Profile(args) => profiled(&args, configuration),
            Command::Run(args) => {
                let settings = tolerated(configuration);
                match &settings.off {
                    Some(origin) => off::launch(&args.launch, origin, args.dry_run),
                    None => run::run(&args, settings),
                }
            }
            Command::Recover(args) => recover::run(&args),
            Command::Clean(args) => clean::run(&args),
            Command::Probe(args) => probe::run(&args, settings()?),
            Command::ProbeRank(args) => probe::rank(&args),
            Command::Doctor(args) => doctor::run(&args),
            Command::DoctorRank(args) => doctor::rank(&args),
            Command::HostTask(args) => host_task::run(&args),
            Command::Step(args) => script::step(&args),
            Command::ObserveSignals => signal_observer::observe()
                .map(|()| 0)
                .context("cannot catch signals"),
            Command::Cache(args) => cache::run(&args, settings()?),
            Command::Config(args) => config::run(&args, &whole(), configuration),
            Command::Mapper(cli::Command::Machine(args)) if args.show().is_some() => {
                match args.show() {
                    Some(show) => machine::show(show, settings()?),
                    None => Ok(0),
                }
            }
            Command::Mapper(command) => command.run(whole).map(|()| 0),
        }
    }
}

/// The settings for a command that runs the user's program. A mistake in the configuration is a
/// line on standard error there, since the program has to run all the same.
fn tolerated(configuration: &Configuration) -> &SiteSettings {
    if let Some(warning) = configuration.warning() {
        terminal::warning(warning);
    }
    &configuration.settings
}

/// `rankfold profile`.
fn profiled(args: &profile::Args, configuration: &Configuration) -> anyhow::Result<u8> {
    match &tolerated(configuration).off {
        Some(origin) => off::launch(&args.launch, origin, args.dry_run),
        None if script::is_one(&args.launch) => script::run(
            &args.launch,
            args.output.as_deref(),
            args.time,
            args.dry_run,
        ),
        None => profile::run(args),
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
    fn comparisons_that_make_no_sense_are_refused() {
        for options in [
            "--compare 0",
            "--compare 101",
            "--compare x",
            "--compare 2 --once",
            "--compare 2 --after 3s",
            "--compare 2 --dry-run",
            "--compare 2 --keep d",
            "--compare 2 --reorder-topologies",
        ] {
            let line = format!("rankfold run {options} -- mpirun -n 2 ./a");
            let error = parsed(&line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.to_string().contains("--compare"), "{error}");
        }
        parsed("rankfold run --map m --compare 2 --json j -- mpirun -n 2 ./a").unwrap();
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
