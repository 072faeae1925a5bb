//! `rankfold run --report`: an HTML page about the run in the launcher's order and with the map.

use super::context::RunContext;
use super::corrected::CorrectedPrediction;
use super::job_hosts;
use super::orders::seated;
use super::outcome::is_enough;
use super::problem::{MappingCase, machine};
use anyhow::{Context as _, bail};
use rankfold_cache::{BothOrders, Entry, Key, Lookup, Predicted};
use rankfold_console::terminal;
use rankfold_formats::rfp;
use rankfold_mapper::cli::input::collectives;
use rankfold_mapper::cli::report_command::{self, Relaunched};
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
    let relaunched = Relaunched {
        title: &entry.name,
        graph: &graph,
        profile: &profile,
        machine: &machine,
        launched: &launched,
        placed: placed.as_ref().zip(solution.map(|found| &*found.heuristic)),
        measured: measured(&entry, map.and(solution).map(|found| &found.predicted)),
        search: &context.args.search,
    };
    relaunched.write(file)
}

/// Median seconds in MPI in both orders, beside what was promised of the map. Only runs with the
/// arguments and hosts of the last run with the map count, or of the last run at all where the map
/// was not used yet.
fn measured(entry: &Entry, predicted: Option<&Predicted>) -> report_command::BothOrders {
    let mapped = entry.measured.iter().rfind(|run| run.mapped);
    let last = mapped.or(entry.measured.last());
    let both = last.map_or_else(BothOrders::default, |last| {
        entry.both_orders(&last.circumstances)
    });
    let [before, after] = both.medians();
    let corrected = predicted.and_then(|it| CorrectedPrediction::new(&entry.measured, it));
    let promise = predicted.map(Predicted::promise);
    report_command::BothOrders {
        before,
        after,
        promised: promise.as_ref().map(|promise| promise.gain),
        at_most: promise.as_ref().is_some_and(|promise| promise.at_most),
        at_least: promise.is_some_and(|promise| promise.at_least),
        corrected: corrected
            .filter(|corrected| corrected.knows_the_map)
            .map(|corrected| corrected.gain()),
        runs: [both.launched.len(), both.mapped.len()],
        too_few: !is_enough(&both),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_cache::samples;
    use rankfold_cache::{Host, Promise, State};

    #[test]
    fn what_was_promised_stays_beside_what_came() {
        let predicted = Predicted {
            launched: 4.0,
            mapped: 2.0,
            unit: "seconds".into(),
            promised: Some(Promise {
                gain: 2.66,
                ..Promise::default()
            }),
            ..Predicted::default()
        };
        let run = |mapped, seconds| rankfold_cache::Measured {
            model: predicted.model_time(mapped),
            ..samples::measured(mapped, "x", seconds)
        };
        let mut entry = Entry {
            name: "a".into(),
            key: serde_json::Value::Null,
            launch: "x".into(),
            ranks: 2,
            allocation: None::<Vec<Host>>,
            fullest: 1,
            state: State::Profiled { part: false },
            measured: vec![run(false, 4.64), run(true, 2.0)],
            made: 0,
            used: 0,
        };
        let shown = measured(&entry, Some(&predicted));
        assert_eq!((shown.before, shown.after), (Some(4.64), Some(2.0)));
        assert_eq!(
            shown.promised,
            Some(2.66),
            "what was promised, not what came"
        );
        assert!((shown.corrected.unwrap() - 1.96).abs() < 0.01, "{shown:?}");
        assert!(shown.too_few, "once each");
        entry.measured.pop();
        assert_eq!(measured(&entry, Some(&predicted)).corrected, None);
    }
}
