//! `rankfold run --report`: a page of what the run was, and of what its placement has changed.

use super::learn::hosts;
use super::solve::{MappingCase, RunContext, filled, machine, seated};
use crate::cache::{Entry, Key, Lookup};
use anyhow::{Context as _, bail};
use rankfold_mapper::cli::input::collectives;
use rankfold_mapper::cli::report_command::Relaunched;
use rankfold_mapper::error::Error;
use rankfold_model::comm::rfp;
use std::path::Path;

/// Writes the page to `file`. The program has ended, so trouble is told and changes nothing.
pub(super) fn write(context: &RunContext, key: &Key, file: &Path) {
    if let Err(error) = try_to_write(context, key, file) {
        eprintln!("rankfold: {} was not written: {error:#}", file.display());
    }
}

fn try_to_write(context: &RunContext, key: &Key, file: &Path) -> anyhow::Result<()> {
    let cache = context.cache.as_ref().context("there is no cache")?;
    let Lookup::Entry(entry) = cache.find(&key.name())? else {
        bail!("nothing is remembered of this run");
    };
    let profile = cache.profile(&entry.name)?;
    let collectives = collectives(context.args.collectives.as_deref());
    let (graph, _) = rfp::graph(&profile, collectives).map_err(Error::from)?;
    let graph = context.args.search.exchange.of(graph);
    let order = &profile.manifest.hosts;
    let hosts = hosts(context, entry.map.as_deref().unwrap_or(order));
    let case = MappingCase {
        profile: &profile,
        hosts: &hosts,
        default: Some(order),
        a_host: entry.a_host,
        part: entry.predicted.part,
        hurry: false,
    };
    let (machine, _) = machine(context, &case, graph.ranks())?;
    let launched = seated(order, &machine)
        .or_else(|| filled(&hosts, graph.ranks(), &machine))
        .context("the hosts of this job have no room for the order that was profiled")?;
    let placed = entry.map.as_deref().and_then(|map| seated(map, &machine));
    let [before, after] = measured(&entry);
    let relaunched = Relaunched {
        title: &entry.name,
        graph: &graph,
        profile: &profile,
        machine: &machine,
        launched: &launched,
        placed: placed
            .as_ref()
            .map(|placement| (placement, &*entry.heuristic)),
        before,
        after,
        predicted_gain: entry.map.as_ref().map(|_| entry.predicted.gain()),
        search: &context.args.search,
    };
    relaunched.write(file)
}

/// Seconds in MPI in the launcher's order and with the map, of runs like the last one that had the
/// map; before the first of them, of runs like the last.
fn measured(entry: &Entry) -> [Option<f64>; 2] {
    let mapped = entry.measured.iter().rfind(|run| run.mapped);
    let last = mapped.or(entry.measured.last());
    [false, true].map(|mapped| last.and_then(|last| entry.seconds(last, mapped)))
}
