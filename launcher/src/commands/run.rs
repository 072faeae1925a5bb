//! `rankfold run`: relaunch with a mapfile, or do the whole loop.

use super::{relaunch, whole_loop};
use crate::error::LaunchError;
use crate::launchers;
use crate::placement::Plan;
use rankfold_mapper::cli::options::{NodeArgs, SearchArgs};
use std::ffi::OsString;
use std::path::PathBuf;

/// `rankfold run`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The placement: a mapfile of any format (nodes needs --hosts)
    #[arg(long, value_name = "MAPFILE", conflicts_with = "machine")]
    map: Option<PathBuf>,
    /// Profile, map onto this machine, then relaunch; the program runs twice
    #[arg(long, value_name = "SPEC")]
    machine: Option<String>,
    #[command(flatten)]
    pub(super) nodes: NodeArgs,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    /// Where to write the figures of the mapping as JSON (with --machine)
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    pub(super) json: Option<PathBuf>,
    /// Print every candidate and why the winner won, on stderr (with --machine)
    #[arg(long, conflicts_with = "map")]
    pub(super) explain: bool,
    /// Print the command that would run (with --machine: the first one), and do not run it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The launch: mpirun -n 64 ./app args
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    launch: Vec<OsString>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = launchers::understand(&args.launch)?;
    let Some(map) = &args.map else {
        let machine = args.machine.as_deref().ok_or(LaunchError::NoPlacement)?;
        return whole_loop::run(args, machine, &launch);
    };
    let plan = Plan::read(map, args.nodes.hosts.as_deref())?;
    let map = map.to_string_lossy();
    if args.dry_run {
        println!("{}", relaunch::dry(&launch, &plan, &map)?);
        return Ok(0);
    }
    relaunch::relaunch(&launch, &plan, &map)
}
