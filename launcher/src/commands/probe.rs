//! `rankfold probe`: measures the machine with its own MPI.

use crate::discovery;
use crate::own_ranks;
use crate::probe::{self, Message, ProbedMachine, Settings};
use indicatif::{ProgressBar, ProgressStyle};
use rankfold_cache::{Cache, MachineOrigin};
use rankfold_console::{outln, output, terminal};
use rankfold_launch::config::SiteSettings;
use rankfold_launch::launch::{self, Launch};
use rankfold_mapper::error::Error;
use rankfold_mapper::members::IMPORTERS;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `rankfold probe`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold probe -o machine.toml -- mpirun -n 16 --hostfile hosts --map-by node\n  \
                         rankfold probe --time 20 -- srun -n 16 -N 16\n  \
                         rankfold probe --machine tree.toml -o machine.toml -- srun --ntasks-per-node 4",
    after_help = "This program is started in place of the one in LAUNCH, which may be left out; one rank a host measures. \
                  Ctrl-C keeps what is known by then."
)]
pub(super) struct Args {
    /// Where to write the machine file
    #[arg(short, long, value_name = "FILE", default_value = "machine.toml")]
    output: PathBuf,
    /// The machine, where it is known as a tree of switches: only the capacities of its links are
    /// measured, in about half a second a level, and written with it; every rank sends, so start
    /// one for each network card
    #[arg(long, value_name = "FILE")]
    machine: Option<String>,
    /// Seconds to measure
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time: u64,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The MPI library [default: found by the launcher and its variables]
    #[arg(long, value_name = "FILE")]
    mpi: Option<PathBuf>,
    /// Print the command that would run, and do not run it
    #[arg(long)]
    dry_run: bool,
    /// The launch: mpirun -n 64 --hostfile hosts
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    launch: Vec<OsString>,
}

/// The hidden command that every rank runs.
pub(super) const RANK: &str = "probe-rank";

/// `rankfold probe-rank`.
#[derive(Debug, clap::Args)]
pub(super) struct RankArgs {
    /// Seconds to measure
    #[arg(long)]
    time: u64,
    #[arg(long)]
    seed: u64,
    /// The MPI library
    #[arg(long)]
    mpi: Option<PathBuf>,
    /// The machine
    #[arg(long)]
    machine: Option<String>,
}

/// The time for starting, connecting and evaluating, which comes on top of the time of `--time`.
/// Chosen by hand; not measured.
const GRACE: Duration = Duration::from_secs(60);

pub(super) fn run(args: &Args, settings: &SiteSettings) -> anyhow::Result<u8> {
    output::check(&args.output)?;
    if let Some(machine) = &args.machine {
        check_tree(machine)?;
    }
    let launch = own_ranks::launch(&args.launch, &arguments(args))?;
    let words = launch.words();
    if args.dry_run {
        outln!("{}", launch::quoted(&words));
        return Ok(0);
    }
    let bar = if terminal::is_quiet() {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(1000)
    };
    let template = "{bar:30} {percent:>3} % {elapsed}, {eta} left {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let mut known: Option<ProbedMachine> = None;
    let mut unfit = false;
    let limit = Duration::from_secs(args.time) + 2 * GRACE;
    let heard = |message| match message {
        Message::Progress(done, what) => {
            bar.set_position((1000.0 * done) as u64);
            bar.set_message(what);
        }
        Message::Note(note) => bar.suspend(|| terminal::note(note)),
        Message::Unfit(problem) => {
            if !unfit {
                bar.suspend(|| terminal::warning(problem));
            }
            unfit = true;
        }
        Message::Known(machine) => known = Some(machine),
    };
    let ended = own_ranks::hear(&words, limit, own_ranks::Heard::WithOthers, heard)?;
    bar.finish_and_clear();
    if unfit && let Some(why) = launch.launcher.why_alone(&launch.apps) {
        terminal::warning(why);
    }
    let Some(known) = known else {
        let why = if ended.interrupted {
            "interrupted before anything was known"
        } else if ended.late {
            "the launch did not end in time"
        } else {
            "nothing was measured"
        };
        terminal::warning(format_args!("no machine file was written: {why}"));
        return Ok(ended.status.max(1));
    };
    output::write(&args.output, known.machine.as_bytes())?;
    if !known.complete {
        terminal::warning("ended early: bandwidths are not known");
    }
    outln!("{}", known.summary);
    if known.complete
        && let Err(problem) = keep(&launch, settings, &known)
    {
        terminal::warning(format_args!(
            "rankfold run will not find this machine by itself: {problem:#}"
        ));
    }
    terminal::good(format_args!("wrote {}", args.output.display()));
    Ok(if ended.interrupted { 0 } else { ended.status })
}

/// Checks that a machine is a tree of switches before anything starts. Of files that may describe
/// several networks, the ranks say which is meant.
fn check_tree(machine: &str) -> Result<(), Error> {
    if IMPORTERS.depends_on_job(machine) {
        return Ok(());
    }
    let known = IMPORTERS.load(machine)?;
    if known.hosts_by_switch().is_some() {
        return Ok(());
    }
    Err(Error::Flag {
        flag: "--machine",
        value: machine.to_owned(),
        problem: "it is no tree of switches with names: leave the option out to measure what it is"
            .into(),
    })
}

/// Stores the machine file in the cache, where `rankfold run` finds it.
fn keep(launch: &Launch, settings: &SiteSettings, known: &ProbedMachine) -> anyhow::Result<()> {
    let cluster = discovery::cluster_of_launch(settings, launch);
    let cache = Cache::open(&settings.cache)?;
    cache.keep_machine(
        &cluster,
        MachineOrigin::Probed,
        "rankfold probe",
        &known.machine,
    )?;
    Ok(())
}

/// The arguments of the ranks.
fn arguments(args: &Args) -> Vec<OsString> {
    let (time, seed) = (args.time.to_string(), args.seed.to_string());
    let mut words: Vec<OsString> = [RANK, "--time", &time, "--seed", &seed]
        .map(OsString::from)
        .to_vec();
    if let Some(mpi) = &args.mpi {
        words.extend(["--mpi".into(), mpi.into()]);
    }
    if let Some(machine) = &args.machine {
        words.extend(["--machine".into(), discovery::with_absolute_path(machine)]);
    }
    words
}

pub(super) fn rank(args: &RankArgs) -> anyhow::Result<u8> {
    let time = Duration::from_secs(args.time);
    probe::measure(&Settings {
        mpi: args.mpi.clone(),
        time,
        limit: time + GRACE,
        seed: args.seed,
        machine: args.machine.clone(),
    })
}
