//! The turns that a map takes with the order as launched while it seems to be slower.

use super::context::RunContext;
use super::judge::{closed, drop_map, run_as_launched};
use super::measure::arguments;
use super::trial::{PAIRS, Trial, is_expired};
use crate::commands::profile;
use crate::session::CountingOptions;
use rankfold_cache::{Circumstances, Entry, Predicted, RankMap, State, age, now};
use rankfold_console::{outln, terminal};
use std::path::Path;

/// The entry as the measured runs of this job's circumstances leave it: a map that has lost in them
/// is dropped, and a map that was dropped long ago is used again.
pub(super) fn after_trial(context: &RunContext, mut entry: Entry) -> Entry {
    let cache = context.cache.as_ref().filter(|_| !context.args.dry_run);
    if let State::Dropped { when, .. } = entry.state
        && is_expired(when, now())
    {
        terminal::result(format_args!(
            "the map was dropped {}: it is tried again",
            age(when)
        ));
        entry.take_map_back();
        if let Some(cache) = cache {
            // A cache that cannot be written has the map dropped, and the next run tries it again.
            let _ = cache.change(&entry.name, Entry::take_map_back);
        }
    }
    // The map may have been used for other hosts since it lost on these.
    if let State::Mapped(_, map) = &entry.state
        && context.args.search.constraints.is_empty()
        && let Some(reason) = trial_of(context, &entry, map).loss()
    {
        if let Some(cache) = cache {
            drop_map(cache, &entry, reason.clone());
        }
        entry.drop_map(reason, now());
    }
    entry
}

/// The trial of the map, where this run should take the order as launched.
pub(super) fn launched_order_is_next(
    context: &RunContext,
    entry: &Entry,
    map: &RankMap,
) -> Option<Trial> {
    context.cache.as_ref()?;
    if !context.args.search.constraints.is_empty() {
        // The order as launched may break them.
        return None;
    }
    Some(trial_of(context, entry, map)).filter(Trial::wants_launched_order)
}

/// The trial of a map by the runs that compare with this one.
fn trial_of(context: &RunContext, entry: &Entry, map: &RankMap) -> Trial {
    let like = Circumstances::new(
        arguments(context.launch),
        context.allocation.as_deref(),
        map.hosts.clone(),
    );
    Trial::new(entry.comparable(&like), now())
}

/// Runs a program in the order as launched, and compares the time with that of its map.
pub(super) fn launched_run(
    context: &RunContext,
    entry: &Entry,
    predicted: &Predicted,
    trial: &Trial,
) -> anyhow::Result<u8> {
    terminal::result(format_args!(
        "as launched, since the map seems to be slower ({} of at most {PAIRS} pairs are measured)",
        trial.pairs()
    ));
    if context.args.dry_run {
        let profile = Path::new("profile.rfp");
        let command = profile::dry(context.launch, profile, CountingOptions::SAMPLED)?;
        outln!("{command}");
        return Ok(0);
    }
    let (status, judged) = run_as_launched(context, entry, predicted)?;
    Ok(closed(status, judged.as_ref()))
}
