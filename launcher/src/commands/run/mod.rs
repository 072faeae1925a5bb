//! `rankfold run`: relaunch with a mapfile, or do the whole loop.

mod args;
mod relaunch;
mod whole_loop;

pub(super) use args::Args;

use crate::error::LaunchError;
use crate::launchers;
use crate::placement::Plan;
use relaunch::Relaunch;

/// Runs the launch with a placement; returns the exit status.
pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = launchers::understand(&args.launch)?;
    let Some(map) = &args.map else {
        let machine = args.machine.as_deref().ok_or(LaunchError::NoPlacement)?;
        return whole_loop::run(args, machine, &launch);
    };
    let plan = Plan::read(map, args.from.as_deref(), &args.nodes)?;
    let map = map.to_string_lossy();
    let relaunch = Relaunch {
        launch: &launch,
        plan: &plan,
        map: &map,
        how: args.how,
    };
    if args.dry_run {
        let (command, choice) = relaunch.dry()?;
        eprintln!("rankfold: {choice}");
        println!("{command}");
        return Ok(0);
    }
    relaunch.run()
}
