//! `rankfold doctor`: examines whether a launcher and its MPI put ranks where a placement has them,
//! and whether collectives return the right data there.

use super::installation;
use super::run::{Relaunch, why_not_here};
use crate::discovery;
use crate::doctor::{self, Findings, Message, Planned};
use crate::own_ranks::{self, Heard};
use crate::session::Session;
use rankfold_cache::Cache;
use rankfold_console::{outln, output};
use rankfold_launch::config::{Configuration, SiteSettings};
use rankfold_launch::launch::{self, Launch};
use rankfold_launch::placement::PlacementPlan;
use rankfold_launch::placing_method::{MethodChoice, PlacingMethod};
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::document;
use rankfold_wire::WorldTimes;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `rankfold doctor`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold doctor                  is all installed, and what is found?\n  \
                         rankfold doctor -- mpirun -n 64 --hostfile hosts\n  \
                         rankfold doctor --map app.map -- mpirun -n 64",
    after_help = "This program is started in place of the one in LAUNCH, which may be left out. Exit status: 0 if all is well, \
                  1 if ranks are not where they should be, do not share memory on their host, or get wrong data."
)]
pub(super) struct Args {
    /// A placement to examine the launch with: a mapfile of any format (nodes needs --hosts)
    #[arg(long, value_name = "MAPFILE", requires = "launch")]
    map: Option<PathBuf>,
    /// Format of the mapfile [default: what its lines look like]
    #[arg(long, value_name = "FORMAT", requires = "map")]
    from: Option<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    /// How the placement takes effect [default: as for rankfold run]
    #[arg(long, value_name = "HOW", requires = "map")]
    how: Option<PlacingMethod>,
    /// The MPI library [default: found by the launcher and its variables]
    #[arg(long, value_name = "FILE", requires = "launch")]
    mpi: Option<PathBuf>,
    /// Most seconds the launch may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time: u64,
    /// Where to write the findings as JSON
    #[arg(long, value_name = "FILE", requires = "launch")]
    json: Option<PathBuf>,
    /// Print the command that would run, and do not run it
    #[arg(long, requires = "launch")]
    dry_run: bool,
    /// The launch: mpirun -n 64 ./app args [without it: the installation is checked]
    #[arg(last = true, value_name = "LAUNCH")]
    launch: Vec<OsString>,
}

/// The hidden command that every rank runs.
pub(super) const RANK: &str = "doctor-rank";

/// `rankfold doctor-rank`.
#[derive(Debug, clap::Args)]
pub(super) struct RankArgs {
    /// Seconds this process may take
    #[arg(long)]
    time: u64,
    /// The MPI library
    #[arg(long)]
    mpi: Option<PathBuf>,
}

pub(super) fn run(args: &Args, configuration: &Configuration) -> anyhow::Result<u8> {
    if args.launch.is_empty() {
        return installation::check(configuration);
    }
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let plan = args
        .map
        .as_ref()
        .map(|map| PlacementPlan::read(map, args.from.as_deref(), &args.nodes))
        .transpose()?;
    let mut launch = own_ranks::understand(&args.launch)?;
    let mut placed = None;
    let mut planned = None;
    if let Some(plan) = &plan {
        let (session, choice) = place(args, &configuration.settings, &mut launch, plan)?;
        planned = Some(Planned {
            hosts: &plan.hosts,
            renumbered: choice.how == PlacingMethod::Renumber,
            way: choice.to_string(),
        });
        // The ranks read the files of the session, so it lives until they have ended.
        placed = Some(session);
    }
    own_ranks::take_over(&mut launch, &arguments(args))?;
    let examined = launch.clone();
    let timed = match &placed {
        None if !args.dry_run => timing_worlds(&mut launch),
        _ => None,
    };
    let words = launch.words();
    if args.dry_run {
        outln!("{}", launch::quoted(&words));
        return Ok(0);
    }
    let mut messages: Vec<Message> = Vec::new();
    let limit = Duration::from_secs(args.time);
    let ended = own_ranks::hear(&words, limit, Heard::WithOthers, |message| {
        messages.push(message);
    })?;
    drop(placed);
    let times = timed.and_then(|session| session.world_times());
    let judged = times.map(|times| keep(&configuration.settings, &examined, &times, &messages));
    let mut findings = doctor::judge(launch.launcher.name(), messages, planned.as_ref(), &ended);
    if findings.nobody_opened()
        && let Some(why) = launch.launcher.why_alone(&launch.apps)
    {
        findings.troubles.push(why.into());
    }
    judged.into_iter().for_each(|words| findings.note(words));
    report(&findings, args.json.as_deref())
}

/// The arguments of the ranks.
fn arguments(args: &Args) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![RANK.into(), "--time".into(), args.time.to_string().into()];
    if let Some(mpi) = &args.mpi {
        words.extend(["--mpi".into(), mpi.into()]);
    }
    words
}

/// Makes the ranks find out what collectives take on a renumbered world. `None` where that cannot
/// be had, and the launch is examined without it.
fn timing_worlds(launch: &mut Launch) -> Option<Session> {
    let session = Session::beside(Path::new("seats")).ok()?;
    let timing = vec![session.timing_worlds()];
    session.seating(launch, timing).ok()?;
    Some(session)
}

/// Stores what the ranks have found out for later runs of the launcher. Returns the verdict in
/// words.
fn keep(
    settings: &SiteSettings,
    launch: &Launch,
    times: &WorldTimes,
    messages: &[Message],
) -> String {
    let places = messages.iter().find_map(|message| match message {
        Message::Opened(opened) => Some(&opened.ranks),
        _ => None,
    });
    let places = places.into_iter().flatten();
    let hosts: Vec<String> = places.map(|place| place.host.clone()).collect();
    let cluster = discovery::cluster_of_launch(settings, launch);
    let kept = Cache::open(&settings.cache)
        .and_then(|cache| cache.keep_world_times(&cluster, launch, times, &hosts));
    match kept {
        Ok(Ok(verdict)) => verdict.to_string(),
        Ok(Err(why)) => why.to_string(),
        Err(error) => format!("how fast renumbered ranks are is not remembered: {error}"),
    }
}

/// Places the ranks of `launch` by the plan, with the method that `rankfold run` would choose.
fn place(
    args: &Args,
    settings: &SiteSettings,
    launch: &mut Launch,
    plan: &PlacementPlan,
) -> anyhow::Result<(Session, MethodChoice)> {
    let session = Session::beside(Path::new("seats"))?;
    let map = args.map.as_deref().unwrap_or(Path::new(""));
    let map = map.to_string_lossy();
    let mut relaunch = Relaunch::new(launch, plan, &map, args.how);
    relaunch.slower = why_not_here(settings, launch);
    let choice = relaunch.choice(args.dry_run)?;
    *launch = relaunch.prepared(&session, choice.how, Vec::new())?;
    Ok((session, choice))
}

/// Prints the findings; returns the exit status.
fn report(findings: &Findings, json: Option<&Path>) -> anyhow::Result<u8> {
    outln!("{}", findings.to_string().trim_end());
    if let Some(path) = json {
        output::write(path, &document::text(findings)?)?;
    }
    Ok(u8::from(!findings.troubles.is_empty()))
}

pub(super) fn rank(args: &RankArgs) -> anyhow::Result<u8> {
    doctor::examine(args.mpi.as_deref(), Duration::from_secs(args.time))
}
