//! The command line: the commands that start MPI programs, and the commands of the mapper.

mod cache;
mod clean;
mod config;
mod counting_args;
mod default_options;
mod doctor;
mod fleet;
mod host_task;
mod installation;
mod internal;
mod launch_meant;
mod machine;
mod older_profile;
mod partial_profile;
mod probe;
mod profile;
mod profile_watch;
mod recover;
mod run;
mod schema;
mod script;
mod summary;
mod unchanged;
mod version;

use clap::CommandFactory;
use rankfold_console::terminal;
use rankfold_launch::config::{Configuration, SiteSettings};
use rankfold_launch::error::LaunchError;
use rankfold_mapper::cli::{self, command_line};
use std::ffi::OsString;
use std::sync::LazyLock;

const EXAMPLES: &str = "\
Examples:
  rankfold run -- mpirun -n 64 ./app                  profile, map, relaunch
  rankfold doctor                                     is all installed?
  rankfold profile -o app.rfp -- mpirun -n 64 ./app   who sends whom how much
  rankfold map app.rfp --machine torus:4x4x4 -o app.map
  rankfold run --map app.map -- mpirun -n 64 ./app    with the map, verified";

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
    Run(Box<run::Args>),
    /// Find what ended runs have left, and make their profiles
    Recover(recover::Args),
    /// Remove what ended runs have left
    Clean(clean::Args),
    /// Check the installation, or whether a launcher and its MPI obey a placement
    Doctor(doctor::Args),
    /// Measure the machine by its own MPI, and write a machine file
    Probe(probe::Args),
    /// List, show or clear what earlier runs have stored
    Cache(cache::Args),
    /// Which programs and users of a site would gain most
    Fleet(fleet::Args),
    /// Show what the site's and the user's files and the environment say, and which of them
    Config(config::Args),
    #[command(flatten)]
    Mapper(cli::Command),
}

/// The whole command line, with the styles and the help of the mapper's commands.
fn whole() -> clap::Command {
    command_line::dressed(Cli::command().mut_subcommand("run", run::shortened))
}

/// Reads the configuration and the command line of this process, and runs the command; returns the
/// exit status. `--help` and `--version` end the process with status 0, mistakes in the command
/// line end it with status 2.
pub(crate) fn run() -> anyhow::Result<u8> {
    if let Some(internal) = internal::Internal::asked_for() {
        return internal.run();
    }
    let whole = whole();
    let configuration = default_options::configuration(&whole);
    let whole = default_options::with_defaults(whole, &configuration);
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words = launch_meant::dashes_added(&whole, &words).unwrap_or(words);
    let line = [&["rankfold".into()], &words[..], shown_instead(&words)].concat();
    let tip = |error: &clap::Error| launch_meant::tip(&whole, error, &words);
    command_line::parse_from::<Cli>(whole.clone(), line, tip).run(&configuration)
}

/// What is added to a command line that asks for nothing yet: its help.
fn shown_instead(words: &[OsString]) -> &'static [OsString] {
    static HELP: LazyLock<[OsString; 1]> = LazyLock::new(|| ["-h".into()]);
    match words {
        [] => &*HELP,
        [only] if only == "probe" => &*HELP,
        _ => &[],
    }
}

impl Cli {
    fn run(self, configuration: &Configuration) -> anyhow::Result<u8> {
        self.terminal.apply();
        let settings = || -> Result<&SiteSettings, LaunchError> { Ok(configuration.checked()?) };
        match self.command {
            Command::Profile(args) => profiled(&args, configuration),
            Command::Run(args) => {
                let settings = tolerated(configuration);
                let run = || match &settings.off {
                    Some(origin) => unchanged::switched_off(&args.launch, origin, args.dry_run),
                    None if script::is_one(&args.launch) => {
                        script::run(&args.launch, args.of_one_launch(), args.dry_run)
                    }
                    None => run::run(&args, settings),
                };
                if args.dry_run {
                    return run();
                }
                unchanged::in_any_case(&args.launch, "nothing is mapped", run)
            }
            Command::Recover(args) => recover::run(&args),
            Command::Clean(args) => clean::run(&args),
            Command::Probe(args) => probe::run(&args, settings()?),
            Command::Doctor(args) => doctor::run(&args, configuration),
            Command::Cache(args) => cache::run(&args, settings()?),
            Command::Fleet(args) => fleet::run(&args, &configuration.settings),
            Command::Config(args) => config::run(&args, &whole(), configuration),
            Command::Mapper(cli::Command::Machine(args)) if args.show().is_some() => {
                match args.show() {
                    Some(show) => machine::show(show, settings()?),
                    None => Ok(0),
                }
            }
            Command::Mapper(command) => command.run(whole, schema::DOCUMENTS).map(|()| 0),
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
    let settings = tolerated(configuration);
    let profile = || match &settings.off {
        Some(origin) => unchanged::switched_off(&args.launch, origin, args.dry_run),
        None if script::is_one(&args.launch) => script::profile(
            &args.launch,
            args.output.as_deref(),
            args.counting,
            args.dry_run,
        ),
        None => profile::run(args),
    };
    if args.dry_run {
        return profile();
    }
    unchanged::in_any_case(&args.launch, "this run is not profiled", profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{ArgMatches, Command};

    #[test]
    fn the_command_lines_are_consistent() {
        whole().debug_assert();
        internal::Internal::command().debug_assert();
    }

    #[test]
    fn commands_that_rankfold_starts_itself_are_not_suggested() {
        for (typed, known) in [
            ("prob", "probe"),
            ("stp", ""),
            ("host-tas", ""),
            ("docto", "doctor"),
        ] {
            let message = parsed(&format!("rankfold {typed}"))
                .unwrap_err()
                .to_string();
            assert!(message.contains(known), "{message}");
            for hidden in [
                "probe-rank",
                "doctor-rank",
                "seat-rank",
                "host-task'",
                "script-step",
                "observe-signals",
            ] {
                assert!(!message.contains(&format!("'{hidden}")), "{message}");
            }
        }
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
            let whole_lines = examples.replace(" \\\n      ", " ");
            let lines = whole_lines
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
            let message = error.to_string();
            assert!(
                message.contains("tip:") && message.contains(meant),
                "{message}"
            );
        }
    }
}
