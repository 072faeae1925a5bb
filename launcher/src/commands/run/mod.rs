//! `rankfold run`: relaunch with a mapfile, or learn the placement and use it.

mod args;
mod learn;
mod measure;
mod outcome;
mod relaunch;
mod report;
mod solve;
mod whole_loop;

pub(super) use args::Args;

use crate::launchers;
use crate::placement::Plan;
use relaunch::Relaunch;

/// Runs the launch with a placement; returns the exit status.
pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = launchers::understand(&args.launch)?;
    let Some(map) = &args.map else {
        return whole_loop::run(args, &launch);
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
