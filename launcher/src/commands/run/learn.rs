//! The run that is profiled: its map is solved while it ends, and kept for the next.

use super::cores::texts;
use super::corrected;
use super::keep::Keep;
use super::measure::{fullest, measured};
use super::solve::{Case, Context, Solved, solve};
use crate::cache::{Cache, Entry, Host, Key, VERSION, now};
use crate::commands::profile::{self, Meanwhile};
use crate::launch::quoted;
use rankfold_model::words::counted;
use rankfold_profile::{Outcome, Profile};

/// What the profiled run has left.
pub(super) struct Learned {
    /// The program's exit status.
    pub(super) status: u8,
    /// The map, unless nothing came of it.
    pub(super) solved: Option<Solved>,
}

/// Profiles the launch, solves its map and keeps both under the name of `key`, and in the directory the user named.
pub(super) fn learn(context: &Context, key: &Key, keep: Option<&Keep>) -> anyhow::Result<Learned> {
    let mut outcome: Option<anyhow::Result<(Solved, Option<Entry>)>> = None;
    let mut then = |profile: &Profile| {
        outcome = Some(solve_and_keep(context, key, profile));
    };
    let meanwhile = Meanwhile::new(context.args.after, &mut then);
    let profiled = profile::profile_and(context.launch, meanwhile)?;
    let status = profiled.status;
    let Some(profile) = profiled.profile.filter(|_| status == 0) else {
        if outcome.is_none() {
            eprintln!("rankfold: nothing is mapped: the program ran once, as launched");
        }
        return Ok(Learned {
            status,
            solved: None,
        });
    };
    profile::show(&profile);
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => solve_and_keep(context, key, &profile),
    };
    if let Some(keep) = keep {
        keep.profile(&profile)?;
    }
    let (solved, entry) = outcome?;
    if let Some(keep) = keep {
        keep.map(&solved.hosts)?;
    }
    if let (Some(cache), Some(entry)) = (&context.cache, &entry) {
        note(context, cache, entry, &profile);
    }
    Ok(Learned {
        status,
        solved: Some(solved),
    })
}

/// Solves the map of a profile, and keeps it as far as there is a cache.
fn solve_and_keep(
    context: &Context,
    key: &Key,
    profile: &Profile,
) -> anyhow::Result<(Solved, Option<Entry>)> {
    let order = &profile.manifest.hosts;
    let unknown = order.is_empty() || order.iter().any(String::is_empty);
    if unknown
        || matches!(&profile.manifest.outcome, Outcome::Recovered { missing } if !missing.is_empty())
    {
        anyhow::bail!("nothing is mapped: the profile lacks some ranks");
    }
    let hosts = hosts(context, order);
    let case = Case {
        profile,
        hosts: &hosts,
        default: Some(order),
        a_host: fullest(order),
        part: context.args.after.is_some(),
        hurry: false,
    };
    let solved = solve(context, &case)?;
    let Some(cache) = &context.cache else {
        return Ok((solved, None));
    };
    let entry = Entry {
        version: VERSION,
        name: key.name(),
        launch: quoted(&context.launch.words()),
        ranks: order.len(),
        machine: solved.machine.clone(),
        allocation: context.allocation.clone(),
        a_host: case.a_host,
        map: solved.worth.then(|| solved.hosts.clone()),
        cores: texts(&solved.cores),
        heuristic: solved.heuristic.clone(),
        predicted: solved.predicted.clone(),
        dropped: None,
        measured: Vec::new(),
        made: now(),
        used: now(),
    };
    let kept = cache.keep(&entry, profile);
    if let Err(error) = &kept {
        eprintln!("rankfold: the map is not remembered: {error}");
    }
    Ok((solved, kept.is_ok().then_some(entry)))
}

/// The hosts of the allocation, and those of the ranks that it does not name.
pub(super) fn hosts(context: &Context, order: &[String]) -> Vec<Host> {
    use crate::placement::canonical;
    use std::collections::HashSet;
    let mut hosts = context.allocation.clone().unwrap_or_default();
    let mut known: HashSet<String> = hosts.iter().map(|host| canonical(&host.name)).collect();
    for name in order {
        if known.insert(canonical(name)) {
            hosts.push(Host {
                name: name.clone(),
                slots: None,
            });
        }
    }
    hosts
}

/// Notes what the run took, and how that compares with what was predicted; tells both. The first part of a run is no measure of whole ones.
fn note(context: &Context, cache: &Cache, entry: &Entry, profile: &Profile) {
    if entry.predicted.part {
        return;
    }
    let Some(took) = measured(profile, context.launch, false) else {
        return;
    };
    let (seconds, unit) = (took.seconds, &entry.predicted.unit);
    let longer = seconds / entry.predicted.default;
    if let Some(known) = corrected::learn(cache, &context.cluster, unit, longer)
        && known.is_of_seconds()
    {
        eprintln!(
            "rankfold: communication took {longer:.2} times as long as predicted; over {} on {}: {:.2} times",
            counted(known.runs as usize, "run"),
            context.cluster,
            known.factor
        );
    }
    // Without it the gain of the next run cannot be told.
    if let Err(error) = cache.change(&entry.name, |entry| entry.add(took)) {
        eprintln!("rankfold: what this run took is not remembered: {error}");
    }
}
