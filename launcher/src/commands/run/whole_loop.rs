//! `rankfold run --machine`: profile, map, relaunch and verify in one command.

use super::args::Args;
use super::relaunch::Relaunch;
use crate::commands::profile;
use crate::launch::Launch;
use crate::placement::Plan;
use crate::traces::scratch;
use rankfold_mapper::cli::report::Report;
use rankfold_mapper::cli::search::search;
use rankfold_mapper::cli::{explain, output};
use rankfold_mapper::error::Error;
use rankfold_model::comm::rfp;
use rankfold_model::mapfile::MapfileError;
use rankfold_model::{CommGraph, Machine};
use rankfold_search::select::Selection;
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) fn run(args: &Args, spec: &str, launch: &Launch) -> anyhow::Result<u8> {
    // Everything that can be refused is refused before the first run.
    let machine = machine(args, spec, launch)?;
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let scratch = scratch(Path::new("."))?;
    let file = scratch.path().join("profile.rfp");
    if args.dry_run {
        println!("{}", profile::dry(launch, &file, false)?);
        return Ok(0);
    }

    let (profiled, before) = timed(|| profile::profile(launch, &file, false));
    let profiled = profiled?;
    let Some(profile) = profiled.profile.filter(|_| profiled.status == 0) else {
        eprintln!("rankfold: nothing is mapped: the program ran once, as launched");
        return Ok(profiled.status);
    };
    let graph = args
        .search
        .exchange
        .of(rfp::graph(&profile).map_err(Error::from)?);
    let selection = map(args, &graph, &machine)?;
    let plan = plan(&selection, &machine);
    let relaunch = Relaunch {
        launch,
        plan: &plan,
        map: "the mapping",
        how: args.how,
    };
    let (status, after) = timed(|| relaunch.run());
    let status = status?;
    tell(&selection, before, after);
    Ok(status)
}

/// The machine to map onto; its nodes must have names, and slots enough for the ranks.
fn machine(args: &Args, spec: &str, launch: &Launch) -> anyhow::Result<Machine> {
    let machine = args.nodes.build(spec)?;
    if machine.hosts().is_none() {
        return Err(Error::from(MapfileError::NeedsNames { file: spec.into() }).into());
    }
    if let Some((ranks, _)) = launch.ranks()? {
        machine.check_fits(ranks).map_err(Error::from)?;
    }
    Ok(machine)
}

/// The search, and its figures where the options ask for them.
fn map(args: &Args, graph: &CommGraph, machine: &Machine) -> anyhow::Result<Selection> {
    let request = args.search.request_between_runs(graph.ranks());
    let (selection, cost) = search(&args.search, graph, machine, &request)?;
    let report = Report::of_selection(&selection, machine, &request, cost);
    if let Some(path) = &args.json {
        output::write(path, &report.json()?)?;
    }
    if args.explain {
        eprint!("{report}\n{}", explain::table(&selection, &report));
    }
    Ok(selection)
}

/// The winner's placement as hosts, by rank.
fn plan(selection: &Selection, machine: &Machine) -> Plan {
    let (_, winner) = selection.winner();
    let names = machine.hosts().unwrap_or_default();
    let nodes = winner.placement.nodes(machine.slots());
    Plan {
        hosts: nodes
            .iter()
            .map(|node| names[node.index()].clone())
            .collect(),
        rankfile: None,
        shares_cores: false,
    }
}

/// Prints what the mapping gained. Both times are of whole runs, start-up included.
fn tell(selection: &Selection, before: Duration, after: Duration) {
    let (candidate, winner) = selection.winner();
    let name = [&[candidate.heuristic], &winner.refined_by()[..]]
        .concat()
        .join("+");
    let hop_bytes = winner.score.hop_bytes;
    let block = selection.baseline.hop_bytes;
    eprintln!("rankfold: {name} has {hop_bytes} hop-bytes, block order {block}");
    eprintln!(
        "rankfold: the profiled run took {:.2} s, the mapped one {:.2} s",
        before.as_secs_f64(),
        after.as_secs_f64()
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}
