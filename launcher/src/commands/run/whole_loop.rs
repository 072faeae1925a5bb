//! `rankfold run` without a mapfile. The first run of a program is profiled and its map is made;
//! later runs use the map as long as it is the better order. With `--machine` the map is used at
//! once, by a second run of the program.

use super::compare;
use super::context::RunContext;
use super::judge::{drop_map, is_as_profiled, judge, judged_run};
use super::kept_files::KeptFiles;
use super::learn::{Learned, learn};
use super::outcome;
use super::own_order;
use super::relaunch::Relaunch;
use super::report;
use super::solve::{MappingCase, SolvedMap, solve};
use super::trial::EXPIRY_DAYS;
use super::turns;
use crate::cache::{Entry, Host, Key, Lookup, Predicted, RankMap, State, age};
use crate::commands::profile;
use crate::placement::PlacementPlan;
use crate::rank_mapper::RankMapper;
use crate::session::CountingOptions;
use crate::{discovery, signals};
use anyhow::Context as _;
use rankfold_mapper::cli::{output, terminal};
use rankfold_profile::Profile;
use std::path::Path;

pub(super) fn run(context: &RunContext) -> anyhow::Result<u8> {
    let (args, launch) = (context.args, context.launch);
    // Bad input is refused before the program runs for the first time.
    check(context)?;
    let keep = match args.keep.as_deref().filter(|_| !args.dry_run) {
        Some(directory) => Some(KeptFiles::new(directory, launch.program())?),
        None => None,
    };
    let key = args.key(launch, &context.cluster)?;
    let known = if args.once || args.after.is_some() {
        None
    } else {
        known(context, &key)
    };
    let status = match (args.compare, known) {
        (Some(pairs), known) => compared(context, &key, known, pairs as usize),
        (None, Some(entry)) => remembered(context, entry, keep.as_ref()),
        (None, None) => first(context, &key, keep.as_ref()),
    }?;
    if let Some(file) = args.report.as_deref().filter(|_| !args.dry_run) {
        signals::let_end();
        report::write(context, &key, file);
    }
    Ok(status)
}

/// Refuses options that do not fit the launch or each other.
///
/// # Errors
/// The first such option.
pub(super) fn check(context: &RunContext) -> anyhow::Result<()> {
    let args = context.args;
    output::check_all(args.json.iter().chain(&args.report))?;
    if let Some(spec) = &args.machine {
        discovery::check_given(
            spec,
            &args.nodes,
            context.allocation.as_deref().unwrap_or_default(),
            context.launch.ranks()?.map(|(ranks, _)| ranks),
        )?;
    }
    Ok(())
}

/// The entry of earlier runs with this key.
fn known(context: &RunContext, key: &Key) -> Option<Entry> {
    let cache = context.cache.as_ref()?;
    match cache.find_run(key) {
        Ok(Lookup::Entry(entry)) => Some(*entry),
        Ok(Lookup::Nothing) => None,
        Ok(Lookup::Unusable(why)) => {
            terminal::warning(format_args!("{why}: not used, and made anew"));
            None
        }
        Err(error) => {
            terminal::warning(format_args!("nothing is remembered: {error}"));
            None
        }
    }
}

/// The first run, which is profiled. With `--machine` a second run with the map follows.
fn first(context: &RunContext, key: &Key, keep: Option<&KeptFiles>) -> anyhow::Result<u8> {
    let args = context.args;
    if args.dry_run {
        println!(
            "{}",
            profile::dry(
                context.launch,
                Path::new("profile.rfp"),
                CountingOptions::SAMPLED
            )?
        );
        return Ok(0);
    }
    let Learned { status, solved } = learn(context, key, keep)?;
    let Some(solved) = solved else {
        return Ok(status);
    };
    // What a run is spent on is said before any gain is promised.
    let corrected = solved.corrected.as_ref();
    if let Some(shares) = corrected.and_then(|corrected| corrected.shares.as_ref()) {
        terminal::note(shares.words());
    }
    if args.machine.is_none() || args.once {
        print_prediction(&solved, &key.name());
        return Ok(status);
    }
    let entry = known(context, key);
    let plan = plan(&solved.map);
    use_map(
        context,
        &plan,
        entry.as_ref(),
        &solved.solution.predicted,
        keep,
    )
}

/// Prints what the map that was just made is predicted to gain.
fn print_prediction(solved: &SolvedMap, name: &str) {
    if !solved.worth {
        terminal::note(
            "the order the launcher chooses stays: no other is predicted to make communication faster by a hundredth",
        );
        return;
    }
    let (gain, seconds) = match &solved.corrected {
        Some(corrected) => (corrected.gain_words(), format!(": {}", corrected.words())),
        None => (
            format!("at most {:.2}", solved.solution.predicted.gain()),
            String::new(),
        ),
    };
    terminal::note(format_args!(
        "predicted to be {gain} times as fast in communication with the map ({}){seconds}; the next run uses it: rankfold cache show {name}",
        solved.solution.heuristic
    ));
}

/// The plan to start ranks as a map has them.
fn plan(map: &RankMap) -> PlacementPlan {
    PlacementPlan {
        hosts: map.hosts.clone(),
        rankfile: None,
        shares_cores: false,
        cores: map.cores.clone(),
    }
}

/// A later run: with the map, or in the launcher's own order where that is the better one.
fn remembered(context: &RunContext, entry: Entry, keep: Option<&KeptFiles>) -> anyhow::Result<u8> {
    let entry = match up_to_date(context, entry) {
        Ok(entry) => entry,
        Err(error) if context.args.machine.is_some() => return Err(error),
        Err(error) => {
            terminal::warning(format_args!(
                "no map for these hosts: {error:#}; the launcher's own order is used"
            ));
            return own_order::plain_run(context);
        }
    };
    if let Some(keep) = keep {
        keep_remembered(context, &entry, keep)?;
    }
    let entry = turns::after_trial(context, entry);
    match &entry.state {
        State::Mapped(solution, map) => {
            if let Some(trial) = turns::own_order_is_next(context, &entry, map) {
                return turns::own_run(context, &entry, &solution.predicted, &trial);
            }
            let plan = plan(map);
            use_map(context, &plan, Some(&entry), &solution.predicted, keep)
        }
        State::Dropped { reason, when, .. } => {
            terminal::note(format_args!(
                "the launcher's own order is used: {reason}, {}; the map is tried again {EXPIRY_DAYS} days after that (rankfold cache clear {} forgets it)",
                age(*when),
                entry.name
            ));
            own_order::plain_run(context)
        }
        State::LaunchersOrder(_) | State::Profiled { .. } => {
            terminal::note(
                "the launcher's own order is used: no other is predicted to make communication faster by a hundredth",
            );
            own_order::plain_run(context)
        }
    }
}

/// Compares the map with the launcher's own order. A program that is not known is profiled first,
/// by a run that does not count.
fn compared(
    context: &RunContext,
    key: &Key,
    known_entry: Option<Entry>,
    pairs: usize,
) -> anyhow::Result<u8> {
    let entry = match known_entry {
        Some(entry) => up_to_date(context, entry)?,
        None => {
            let Learned { status, solved } = learn(context, key, None)?;
            if solved.is_none() {
                return Ok(status);
            }
            known(context, key).context("what the first run has told is not remembered")?
        }
    };
    let (Some(map), Some(solution), Some(cache)) =
        (entry.state.map(), entry.state.solution(), &context.cache)
    else {
        return Err(compare::nothing_to_compare().into());
    };
    let plan = plan(map);
    let relaunch = Relaunch {
        solver: solver(context, &plan.hosts, Some(&entry)),
        ..Relaunch::new(context.launch, &plan, "the map", context.args.how)
    };
    let known_map = compare::KnownMap {
        context,
        cache,
        entry: &entry,
        predicted: &solution.predicted,
    };
    let json = context.args.json.as_deref();
    compare::compare(&relaunch, pairs, json, Some(&known_map))
}

/// The entry with a map for the hosts of this job. The map is made from the kept profile where the
/// entry has no map yet, was made for other hosts, or the user asks for the figures of the search.
fn up_to_date(context: &RunContext, entry: Entry) -> anyhow::Result<Entry> {
    let changed = match (&context.allocation, &entry.allocation) {
        (Some(now), Some(then)) => !same(now, then),
        (Some(_), None) => true,
        (None, _) => false,
    };
    if matches!(entry.state, State::Profiled { .. }) {
        terminal::note(
            "the map was still to be made of the profile of an earlier run: it is made now",
        );
    } else if changed {
        terminal::note("the hosts of this job are others than last time: the map is made anew");
    } else if context.args.json.is_none() && !context.args.explain {
        return Ok(entry);
    }
    anew(context, &entry)
}

/// Writes the profile and the map of an earlier run to the directory of `--keep`.
fn keep_remembered(context: &RunContext, entry: &Entry, keep: &KeptFiles) -> anyhow::Result<()> {
    if let Some(cache) = &context.cache {
        keep.profile(&cache.profile(&entry.name)?)?;
    }
    entry.state.map().map_or(Ok(()), |map| keep.map(&map.hosts))
}

/// Whether two allocations have the same hosts with the same slots, in any order.
fn same(one: &[Host], other: &[Host]) -> bool {
    let sorted = |hosts: &[Host]| {
        let mut hosts = hosts.to_vec();
        hosts.sort_unstable();
        hosts
    };
    sorted(one) == sorted(other)
}

/// The entry with a new map for the hosts of this job, made from the kept profile. The new map is
/// stored in the cache.
fn anew(context: &RunContext, entry: &Entry) -> anyhow::Result<Entry> {
    let cache = context
        .cache
        .as_ref()
        .ok_or_else(|| anyhow::anyhow!("no cache"))?;
    let profile: Profile = cache.profile(&entry.name)?;
    let order = &profile.manifest.hosts;
    let seen: Vec<Host> = names_of(order);
    let hosts = context.allocation.as_deref().unwrap_or(&seen);
    let same_hosts = context.allocation == entry.allocation;
    let solved = solve(
        context,
        &MappingCase {
            profile: &profile,
            hosts,
            default: same_hosts.then_some(order),
            fullest: entry.fullest,
            part: entry.state.is_of_part(),
            hurry: true,
            took: None,
            runs: if is_as_profiled(context, entry) {
                &entry.measured
            } else {
                &[]
            },
        },
    )?;
    let change = |entry: &mut Entry| {
        let before = std::mem::replace(&mut entry.state, solved.state());
        if let State::Dropped { reason, when, .. } = before
            && same_hosts
        {
            entry.drop_map(reason, when);
        }
        entry.allocation.clone_from(&context.allocation);
    };
    let mut changed = entry.clone();
    change(&mut changed);
    if !context.args.dry_run {
        // Another job may change the entry for its own hosts at the same time, so this job goes on
        // with its own copy.
        let _ = cache.change(&entry.name, change);
    }
    Ok(changed)
}

/// The hosts of a profile, each once.
fn names_of(order: &[String]) -> Vec<Host> {
    let mut names = order.to_vec();
    names.sort_unstable();
    names.dedup();
    let host = |name| Host { name, slots: None };
    names.into_iter().map(host).collect()
}

/// Runs the launch with its ranks placed by the plan. The run is measured, its gain is printed, and
/// a map that loses is dropped.
fn use_map(
    context: &RunContext,
    plan: &PlacementPlan,
    entry: Option<&Entry>,
    predicted: &Predicted,
    keep: Option<&KeptFiles>,
) -> anyhow::Result<u8> {
    let relaunch = Relaunch {
        solver: solver(context, &plan.hosts, entry),
        ..Relaunch::new(context.launch, plan, "the map", context.args.how)
    };
    if context.args.dry_run {
        let (command, choice) = relaunch.dry(true)?;
        terminal::note(choice);
        println!("{command}");
        return Ok(0);
    }
    let placed = relaunch.measured()?;
    if let Some(profile) = &placed.profile {
        outcome::show(profile, &plan.hosts);
    }
    if let (Some(keep), Some(profile)) = (keep, &placed.profile) {
        keep.mapped(profile)?;
    }
    let (Some(cache), Some(entry)) = (&context.cache, entry) else {
        return Ok(placed.status(context.args.machine.is_some()));
    };
    if placed.is_misplaced() {
        drop_map(
            cache,
            entry,
            "the launcher did not put the ranks where the map has them".into(),
        );
    } else if placed.program == 0
        && let Some(profile) = &placed.profile
        && let Some(took) = judged_run(context, entry, predicted, profile, true)
    {
        judge(context, cache, entry, predicted, took);
    } else if placed.program != 0 {
        terminal::warning(format_args!(
            "the program failed (status {}): what it took does not count",
            placed.program
        ));
    }
    Ok(placed.status(context.args.machine.is_some()))
}

/// The mapper that makes a map inside `MPI_Init` where the job has other hosts than the map. It is
/// needed only where nothing names the hosts before the launch.
fn solver(context: &RunContext, hosts: &[String], entry: Option<&Entry>) -> Option<RankMapper> {
    if context.allocation.is_some() || !context.launch.launcher.chooses_hosts() {
        return None;
    }
    let profile = context.cache.as_ref()?.profile_file(&entry?.name);
    let mut names = hosts.to_vec();
    names.sort_unstable();
    names.dedup();
    // Without the machine there is no such mapper: the map is then followed on other hosts only if
    // they have the same numbers of ranks.
    let found = context.discovered(&names, &[]).ok()?;
    RankMapper::new(&found, &context.args.nodes, Some(profile)).ok()
}
