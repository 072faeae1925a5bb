//! `rankfold run`: relaunch with a mapfile, or learn the placement and use it.

mod args;
mod cores;
mod corrected;
mod kept_files;
mod learn;
mod measure;
mod outcome;
mod relaunch;
mod report;
mod solve;
mod topologies;
mod whole_loop;

pub(super) use args::Args;
pub(super) use relaunch::Relaunch;

use crate::launchers;
use crate::placement::PlacementPlan;
use solve::RunContext;

/// Runs the launch with a placement; returns the exit status.
pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = launchers::understand(&args.launch)?;
    let Some(map) = &args.map else {
        let context = RunContext::new(args, &launch)?;
        return match args.reorder_topologies {
            true => topologies::run(&context),
            false => whole_loop::run(&context),
        };
    };
    let plan = PlacementPlan::read(map, args.from.as_deref(), &args.nodes)?;
    let map = map.to_string_lossy();
    let topologies = match args.reorder_topologies {
        true => Some(topologies::mapper(
            &RunContext::new(args, &launch)?,
            &plan.names(),
        )?),
        false => None,
    };
    let relaunch = Relaunch {
        topologies,
        ..Relaunch::new(&launch, &plan, &map, args.how)
    };
    if args.dry_run {
        let (command, choice) = relaunch.dry(false)?;
        eprintln!("rankfold: {choice}");
        println!("{command}");
        return Ok(0);
    }
    relaunch.run()
}
