//! `rankfold run --report`: an HTML page about the run in the launcher's order and with the map.

use super::context::RunContext;
use super::corrected::CorrectedPrediction;
use super::job_hosts;
use super::orders::seated;
use super::problem::{MappingCase, machine};
use crate::cache::{Entry, Key, Lookup};
use anyhow::{Context as _, bail};
use rankfold_console::terminal;
use rankfold_formats::rfp;
use rankfold_mapper::cli::input::collectives;
use rankfold_mapper::cli::report_command::Relaunched;
use rankfold_mapper::error::Error;
use std::path::Path;

/// Writes the page to `file`. The program has ended by now, so an error is a warning and does not
/// change the exit status.
pub(super) fn write(context: &RunContext, key: &Key, file: &Path) {
    if let Err(error) = try_to_write(context, key, file) {
        terminal::warning(format_args!(
            "{} was not written: {error:#}",
            file.display()
        ));
    }
}

fn try_to_write(context: &RunContext, key: &Key, file: &Path) -> anyhow::Result<()> {
    let cache = context.cache.as_ref().context("there is no cache")?;
    let Lookup::Entry(entry) = cache.find(&key.name())? else {
        bail!("nothing is remembered of this run");
    };
    let map = entry.state.map().map(|map| &map.hosts[..]);
    let solution = entry.state.solution();
    let profile = cache.profile(&entry.name)?;
    let collectives = collectives(context.args.collectives.as_deref());
    let (graph, _) = rfp::graph(&profile, collectives).map_err(Error::from)?;
    let graph = context.args.search.exchange.of(graph);
    let order = &profile.manifest.hosts;
    let hosts = job_hosts::of_profiled_run(context, map.unwrap_or(order));
    let case = MappingCase {
        profile: &profile,
        hosts: &hosts,
        launched: Some(order),
        fullest: entry.fullest,
        part: entry.state.is_of_part(),
        hurry: false,
        took: None,
        runs: &[],
    };
    let machine = machine(context, &case, graph.ranks())?.machine;
    let launched = seated(order, &machine).unwrap_or_else(|| machine.block_order(graph.ranks()));
    let placed = map.and_then(|map| seated(map, &machine));
    let [before, after] = measured(&entry);
    let relaunched = Relaunched {
        title: &entry.name,
        graph: &graph,
        profile: &profile,
        machine: &machine,
        launched: &launched,
        placed: placed.as_ref().zip(solution.map(|found| &*found.heuristic)),
        before,
        after,
        predicted_gain: map.and(solution).map(|found| {
            let corrected = CorrectedPrediction::new(&entry.measured, &found.predicted);
            corrected.map_or(found.predicted.gain(), |corrected| corrected.gain())
        }),
        search: &context.args.search,
    };
    relaunched.write(file)
}

/// Median seconds in MPI in the launcher's order and with the map. Only runs with the arguments and
/// hosts of the last run with the map count, or of the last run at all where the map was not used
/// yet.
fn measured(entry: &Entry) -> [Option<f64>; 2] {
    let mapped = entry.measured.iter().rfind(|run| run.mapped);
    let last = mapped.or(entry.measured.last());
    last.map_or([None, None], |last| {
        entry.both_orders(&last.circumstances).medians()
    })
}
