//! `rankfold doctor`: whether a launcher and its MPI believe and obey placements.

use crate::doctor::{self, Findings, Told};
use crate::launch::{self, Launch};
use crate::placement::Plan;
use crate::{own_ranks, traces};
use rankfold_mapper::cli::options::NodeArgs;
use rankfold_mapper::cli::output;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `rankfold doctor`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold doctor -- mpirun -n 64 --hostfile hosts\n  \
                         rankfold doctor --map app.map -- mpirun -n 64",
    after_help = "This program is started in place of the one in LAUNCH, which may be left out. Exit status: 0 if all is well, \
                  1 if ranks are not where they should be, do not share memory on their host, or get wrong data."
)]
pub(super) struct Args {
    /// A placement to examine the launch with: a mapfile of any format (nodes needs --hosts)
    #[arg(long, value_name = "MAPFILE")]
    map: Option<PathBuf>,
    /// Format of the mapfile [default: what its lines look like]
    #[arg(long, value_name = "FORMAT", requires = "map")]
    from: Option<String>,
    #[command(flatten)]
    nodes: NodeArgs,
    /// The MPI library [default: found by the launcher and its variables]
    #[arg(long, value_name = "FILE")]
    mpi: Option<PathBuf>,
    /// Most seconds the launch may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time: u64,
    /// Where to write the findings as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print the command that would run, and do not run it
    #[arg(long)]
    dry_run: bool,
    /// The launch: mpirun -n 64 ./app args
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    launch: Vec<OsString>,
}

/// The hidden command that is every rank.
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

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let plan = args
        .map
        .as_ref()
        .map(|map| Plan::read(map, args.from.as_deref(), &args.nodes))
        .transpose()?;
    let mut launch = own_ranks::launch(&args.launch, &arguments(args))?;
    let scratch = traces::scratch(Path::new("."))?;
    if let Some(plan) = &plan {
        place(&mut launch, plan, &scratch.path().join("hosts"))?;
    }
    let words = launch.words();
    if args.dry_run {
        println!("{}", launch::quoted(&words));
        return Ok(0);
    }
    let mut told: Vec<Told> = Vec::new();
    let limit = Duration::from_secs(args.time);
    let ended = own_ranks::hear(&words, limit, |one| told.push(one))?;
    let hosts = plan.as_ref().map(|plan| &plan.hosts[..]);
    let findings = doctor::judge(launch.launcher.name(), told, hosts, &ended);
    report(&findings, args.json.as_deref())
}

/// What the ranks are started with.
fn arguments(args: &Args) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![RANK.into(), "--time".into(), args.time.to_string().into()];
    if let Some(mpi) = &args.mpi {
        words.extend(["--mpi".into(), mpi.into()]);
    }
    words
}

/// Makes the launcher place the ranks as planned; `file` is a path for what it reads.
fn place(launch: &mut Launch, plan: &Plan, file: &Path) -> anyhow::Result<()> {
    if launch.ranks()?.is_none()
        && let [app] = &mut launch.apps[..]
    {
        let ranks = plan.hosts.len().to_string();
        app.inserted.extend(["-n".into(), ranks.into()]);
    }
    let launcher = launch.launcher;
    let placing = launcher.place(&mut launch.apps, plan, file)?;
    for (path, text) in &placing.files {
        output::write(path, text.as_bytes())?;
    }
    Ok(())
}

fn report(findings: &Findings, json: Option<&Path>) -> anyhow::Result<u8> {
    print!("{findings}");
    if let Some(path) = json {
        output::write(
            path,
            &[serde_json::to_vec_pretty(findings)?, b"\n".to_vec()].concat(),
        )?;
    }
    Ok(u8::from(!findings.troubles.is_empty()))
}

pub(super) fn rank(args: &RankArgs) -> anyhow::Result<u8> {
    doctor::examine(args.mpi.as_deref(), Duration::from_secs(args.time))
}
