//! `rankfold run`: relaunch with a mapfile, or do the whole loop.

mod args;
mod relaunch;
mod whole_loop;

pub(super) use args::Args;

use crate::error::LaunchError;
use crate::launchers;
use crate::placement::Plan;

/// Runs the launch with a placement; returns the exit status.
pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = launchers::understand(&args.launch)?;
    let Some(map) = &args.map else {
        let machine = args.machine.as_deref().ok_or(LaunchError::NoPlacement)?;
        return whole_loop::run(args, machine, &launch);
    };
    let plan = Plan::read(map, args.from.as_deref(), &args.nodes)?;
    let map = map.to_string_lossy();
    if args.dry_run {
        println!("{}", relaunch::dry(&launch, &plan, &map)?);
        return Ok(0);
    }
    relaunch::relaunch(&launch, &plan, &map)
}
