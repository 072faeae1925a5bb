//! The run that is profiled: its map is solved while it ends, and kept for the next.

use super::corrected;
use super::kept_files::KeptFiles;
use super::measure::{fullest, measured};
use super::solve::{MappingCase, RunContext, SolvedMap, solve};
use crate::cache::{Cache, Entry, Host, Key, Predicted, VERSION, now};
use crate::commands::profile;
use crate::commands::profile_watch::ProfileWatch;
use crate::launch::quoted;
use crate::signals;
use rankfold_model::words::counted;
use rankfold_profile::{Outcome, Profile};
use std::sync::atomic::{AtomicBool, Ordering};

/// What the profiled run has left.
pub(super) struct Learned {
    /// The program's exit status.
    pub(super) status: u8,
    /// The map, unless nothing came of it.
    pub(super) solved: Option<SolvedMap>,
}

/// Profiles the launch, solves its map and keeps both under the name of `key`, and in the directory
/// the user named.
pub(super) fn learn(
    context: &RunContext,
    key: &Key,
    keep: Option<&KeptFiles>,
) -> anyhow::Result<Learned> {
    let mut outcome: Option<anyhow::Result<(SolvedMap, Option<Entry>)>> = None;
    let solving = AtomicBool::new(false);
    let mut then = |profile: &Profile| {
        outcome = Some(solve_and_keep(context, key, profile, &solving));
    };
    let meanwhile = ProfileWatch::new(context.args.after, &mut then);
    let interrupted = |status| {
        let solving = solving.load(Ordering::Acquire);
        if solving {
            interrupt(context, key, status);
        }
        solving
    };
    let profiled = profile::profile_and(context.launch, meanwhile, interrupted)?;
    signals::let_end();
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
        None => solve_and_keep(context, key, &profile, &solving),
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

/// Solves the map of a profile, and keeps it as far as there is a cache; the profile alone before
/// that. `solving` is true for as long as nothing is lost if this process ends.
fn solve_and_keep(
    context: &RunContext,
    key: &Key,
    profile: &Profile,
    solving: &AtomicBool,
) -> anyhow::Result<(SolvedMap, Option<Entry>)> {
    let order = &profile.manifest.hosts;
    let unknown = order.is_empty() || order.iter().any(String::is_empty);
    if unknown
        || matches!(&profile.manifest.outcome, Outcome::Recovered { missing } if !missing.is_empty())
    {
        anyhow::bail!("nothing is mapped: the profile lacks some ranks");
    }
    let hosts = hosts(context, order);
    let case = MappingCase {
        profile,
        hosts: &hosts,
        default: Some(order),
        a_host: fullest(order),
        part: context.args.after.is_some(),
        hurry: false,
    };
    let Some(cache) = &context.cache else {
        return Ok((solve(context, &case)?, None));
    };
    let kept = cache.keep(&unsolved(context, key, &case), profile);
    if let Err(error) = &kept {
        eprintln!("rankfold: the map is not remembered: {error}");
    }
    solving.store(kept.is_ok(), Ordering::Release);
    let solved = solve(context, &case);
    solving.store(false, Ordering::Release);
    let solved = solved?;
    let entry = match kept {
        Ok(()) => cache.change(&key.name(), |entry| solved.note(entry))?,
        Err(_) => None,
    };
    Ok((solved, entry))
}

/// What is remembered of a run before its map is made.
fn unsolved(context: &RunContext, key: &Key, case: &MappingCase) -> Entry {
    Entry {
        version: VERSION,
        name: key.name(),
        launch: quoted(&context.launch.words()),
        ranks: case.profile.manifest.hosts.len(),
        unsolved: true,
        machine: String::new(),
        allocation: context.allocation.clone(),
        a_host: case.a_host,
        map: None,
        cores: Vec::new(),
        places: Vec::new(),
        heuristic: String::new(),
        predicted: Predicted {
            part: case.part,
            ..Predicted::default()
        },
        dropped: None,
        measured: Vec::new(),
        made: now(),
        used: now(),
    }
}

/// Somebody does not want to wait for the map: what is known is kept, and that is said.
fn interrupt(context: &RunContext, key: &Key, status: u8) {
    let name = key.name();
    eprintln!(
        "rankfold: interrupted before the map was made; the profile is kept, and the next run makes the map of it: rankfold cache show {name}"
    );
    let Some(cache) = &context.cache else { return };
    if status == 0
        && context.args.after.is_none()
        && let Ok(profile) = cache.profile(&name)
        && let Some(took) = measured(&profile, context.launch, false)
    {
        let _ = cache.change(&name, |entry| entry.add(took));
    }
}

/// The hosts of the allocation, and those of the ranks that it does not name.
pub(super) fn hosts(context: &RunContext, order: &[String]) -> Vec<Host> {
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

/// Notes what the run took, and how that compares with what was predicted; tells both. The first
/// part of a run is no measure of whole ones.
fn note(context: &RunContext, cache: &Cache, entry: &Entry, profile: &Profile) {
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
