//! `rankfold run`: launches a program with a given map, or finds the map by itself and uses it.

mod advice;
mod args;
mod cold_start;
mod compare;
mod comparison;
mod context;
mod cores;
mod corrected;
mod correction;
mod documents;
mod job_hosts;
mod judge;
mod kept_files;
mod launched_order;
mod learn;
mod map_launch;
mod measure;
mod one_host;
mod order_of_job;
mod orders;
mod outcome;
mod problem;
mod relaunch;
mod renewal;
mod renumbered_world;
mod repeats;
mod report;
mod shares;
mod short_help;
mod solve;
mod topologies;
mod trial;
mod turns;
mod verdict;
mod whole_loop;

pub(super) use args::Args;
pub(super) use corrected::CorrectedPrediction;
pub(super) use documents::{ComparisonDocument, RunDocument};
pub(super) use measure::{fullest, inside_seconds, of_profile, run_seconds};
pub(super) use outcome::{is_enough, too_few};
pub(super) use relaunch::Relaunch;
pub(super) use renumbered_world::why_not_here;
pub(super) use short_help::shortened;
pub(super) use solve::{LEAST_GAIN, predicted};

use super::unchanged;
use context::RunContext;
use rankfold_console::{outln, output, terminal};
use rankfold_launch::config::SiteSettings;
use rankfold_launch::error::LaunchError;
use rankfold_launch::launchers;
use rankfold_launch::placement::PlacementPlan;

/// Runs the command; returns the exit status.
pub(super) fn run(args: &Args, settings: &SiteSettings) -> anyhow::Result<u8> {
    terminal::be_brief();
    let launch = match launchers::understand(&args.launch) {
        Err(error) if unchanged::starts_nothing(&args.launch, &error) => {
            return unchanged::as_given(&args.launch, args.dry_run);
        }
        Err(error) if !args.asks_for_more() && !error.is_of_no_command() => {
            terminal::result(format_args!("the launch runs as it is: {error}"));
            return unchanged::as_given(&args.launch, args.dry_run);
        }
        understood => understood?,
    };
    let Some(map) = &args.map else {
        if let Some(reason) = one_host::indifferent(args, &launch) {
            terminal::result(format_args!("started as it is: {reason}"));
            if !one_host::is_of_one_rank(&launch) {
                let next = "who talks to whom: rankfold profile -o app.rfp";
                terminal::result(advice::command(next, &launch));
                terminal::result("then: rankfold report app.rfp, or rankfold analyze app.rfp");
            }
            return unchanged::as_given(&launch.words(), args.dry_run);
        }
        let context = RunContext::new(args, settings, &launch)?;
        return if args.reorder_topologies {
            topologies::run(&context)
        } else {
            whole_loop::run(&context)
        };
    };
    if args.json.is_some() && args.compare.is_none() {
        return Err(LaunchError::Option {
            option: "--json".into(),
            problem: "beside --map it needs --compare, whose times it writes; the figures of a map are those of rankfold eval --json".into(),
        }
        .into());
    }
    let plan = PlacementPlan::read(map, args.from.as_deref(), &args.nodes)?;
    let map = map.to_string_lossy();
    let topologies = if args.reorder_topologies {
        let context = RunContext::new(args, settings, &launch)?;
        Some(topologies::mapper(&context, &plan.names())?)
    } else {
        None
    };
    let relaunch = Relaunch {
        topologies,
        lost_seat: args.lost_seat.unwrap_or_default(),
        slower: renumbered_world::why_not_here(settings, &launch),
        ..Relaunch::new(&launch, &plan, &map, args.how)
    };
    if args.dry_run {
        let (command, choice) = relaunch.dry(false)?;
        terminal::result(choice);
        outln!("{command}");
        return Ok(0);
    }
    if let Some(pairs) = args.compare {
        output::check_all(&args.json, [])?;
        return compare::compare(&relaunch, pairs as usize, args.json.as_deref(), None);
    }
    relaunch.run()
}
