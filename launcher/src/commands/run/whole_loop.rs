//! `rankfold run` without a mapfile. The first run of a program is profiled and its map is made;
//! later runs use the map as long as it is the better order. With `--machine` the map is used at
//! once, by a second run of the program.

use super::advice;
use super::cold_start;
use super::compare;
use super::context::RunContext;
use super::judge::{Judged, closed, drop_map, judge, judged_run};
use super::kept_files::KeptFiles;
use super::launched_order;
use super::learn::{Learned, learn};
use super::map_launch::{kept_profile, relaunch_by_map};
use super::outcome;
use super::renewal::up_to_date;
use super::repeats;
use super::report;
use super::trial::EXPIRY_DAYS;
use super::turns;
use crate::commands::profile;
use crate::session::CountingOptions;
use crate::{discovery, signals, traces};
use anyhow::Context as _;
use rankfold_cache::{Entry, Host, Key, Lookup, Predicted, RankMap, State, age};
use rankfold_console::{outln, output, terminal};
use rankfold_launch::placement::PlacementPlan;
use rankfold_launch::placing_method::PlacingMethod;
use std::path::Path;

pub(super) fn run(context: &RunContext) -> anyhow::Result<u8> {
    let (args, launch) = (context.args, context.launch);
    // Bad input is refused before the program runs for the first time.
    check(context)?;
    let keep = match args.keep.as_deref().filter(|_| !args.dry_run) {
        Some(directory) => Some(KeptFiles::new(directory, launch.program())?),
        None => None,
    };
    let key = args.key(launch, &context.cluster, context.slots())?;
    if !args.dry_run {
        remember_machine(context)?;
    }
    let known = if args.once || args.after.is_some() {
        None
    } else {
        known(context, &key)
    };
    let status = match (args.compare, known) {
        (Some(pairs), known) => compared(context, &key, known, pairs as usize),
        (None, Some(entry)) => remembered(context, &key, entry, keep.as_ref()),
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
    output::check_all(args.json.iter().chain(&args.report), [])?;
    if let Some(spec) = &args.machine {
        // Without any host in the launch, the launcher starts all ranks here, unless a batch system
        // chooses the hosts.
        let here = || Host {
            name: traces::host(),
            slots: None,
        };
        let starts_here = !context.launch.launcher.chooses_hosts();
        let hosts = match &context.allocation {
            Some(hosts) => hosts.clone(),
            None => starts_here.then(here).into_iter().collect(),
        };
        let ranks = context.launch.ranks()?.map(|(ranks, _)| ranks);
        discovery::check_given(spec, &args.nodes, &hosts, ranks)?;
    }
    Ok(())
}

/// Remembers the value of `--machine` for later runs on this cluster, and says so where it is news.
///
/// # Errors
/// The machine or the list of hosts cannot be read.
fn remember_machine(context: &RunContext) -> anyhow::Result<()> {
    let (Some(spec), Some(cache)) = (&context.args.machine, &context.cache) else {
        return Ok(());
    };
    let given = discovery::to_remember(spec, &context.args.nodes)?;
    let cluster = &context.cluster;
    match cache.remember_given(cluster, &given) {
        Ok(true) => terminal::note(format_args!(
            "later runs on {cluster} use --machine {spec}, too: rankfold cache clear --machine {cluster} forgets it"
        )),
        Ok(false) => {}
        Err(error) => terminal::warning(format_args!("--machine is not remembered: {error}")),
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
        outln!(
            "{}",
            profile::dry(
                context.launch,
                Path::new("profile.rfp"),
                CountingOptions::SAMPLED
            )?
        );
        return Ok(0);
    }
    let Learned {
        status,
        solved,
        is_remembered,
    } = learn(context, key, keep)?;
    let Some(solved) = solved else {
        return Ok(status);
    };
    if args.machine.is_none() || args.once || !solved.worth {
        // What a run is spent on is said before any gain is promised.
        let corrected = solved.corrected.as_ref();
        if let Some(shares) = corrected.and_then(|corrected| corrected.shares.as_ref()) {
            terminal::result(shares.words("this run"));
        }
        let name = is_remembered.then(|| key.name());
        advice::after_first_run(context, &solved, name.as_deref());
        return Ok(status);
    }
    let predicted = &solved.solution.predicted;
    let plan = plan(context, &solved.map);
    let entry = known(context, key);
    let (status, judged) = use_map(context, &plan, entry.as_ref(), predicted, keep)?;
    match judged {
        Some(judged) if status == 0 => cold_start::rule_out(context, judged, predicted),
        judged => Ok(closed(status, judged.as_ref())),
    }
}

/// The plan to start ranks as a map has them. Outside of an allocation a batch system chooses the
/// hosts, unless the user names them.
fn plan(context: &RunContext, map: &RankMap) -> PlacementPlan {
    let hosts_are_open = context.allocation.is_none() && context.launch.launcher.chooses_hosts();
    PlacementPlan {
        hosts_are_open,
        hosts: map.hosts.clone(),
        rankfile: None,
        shares_cores: false,
        cores: map.cores.clone(),
    }
}

/// A later run: with the map, or in the order as launched where that is the better one.
fn remembered(
    context: &RunContext,
    key: &Key,
    entry: Entry,
    keep: Option<&KeptFiles>,
) -> anyhow::Result<u8> {
    let profile = match kept_profile(context, &entry) {
        Ok(profile) => profile,
        Err(error) => {
            terminal::warning(format_args!(
                "the profile of an earlier run cannot be used, and the program is profiled anew: {error:#}"
            ));
            return first(context, key, keep);
        }
    };
    let entry = match up_to_date(context, entry, &profile) {
        Ok(entry) => entry,
        Err(error) if context.args.machine.is_some() => return Err(error),
        Err(error) => {
            terminal::warning(format_args!(
                "no map for these hosts: {error:#}; the order as launched is used"
            ));
            return launched_order::plain_run(context);
        }
    };
    if let Some(keep) = keep {
        keep.profile(&profile)?;
        entry
            .state
            .map()
            .map_or(Ok(()), |map| keep.map(&map.hosts))?;
    }
    let entry = turns::after_trial(context, entry);
    match &entry.state {
        State::Mapped(solution, map) => {
            if let Some(trial) = turns::launched_order_is_next(context, &entry, map) {
                return turns::launched_run(context, &entry, &solution.predicted, &trial);
            }
            let plan = plan(context, map);
            let predicted = &solution.predicted;
            let (status, judged) = use_map(context, &plan, Some(&entry), predicted, keep)?;
            Ok(closed(status, judged.as_ref()))
        }
        State::Dropped { reason, when, .. } => {
            terminal::result(format_args!(
                "the order as launched is used: {reason}, {}",
                age(*when)
            ));
            terminal::result(format_args!(
                "the map is tried again {EXPIRY_DAYS} days after that; sooner: rankfold cache clear {}",
                entry.name
            ));
            launched_order::plain_run(context)
        }
        State::Launched(_) | State::Profiled { .. } => {
            let why = advice::why_launched_order(context, &entry);
            terminal::result(format_args!("the order as launched is used: {why}"));
            launched_order::plain_run(context)
        }
    }
}

/// Compares the map with the order as launched. A program that is not known is profiled first,
/// by a run that does not count.
fn compared(
    context: &RunContext,
    key: &Key,
    known_entry: Option<Entry>,
    pairs: usize,
) -> anyhow::Result<u8> {
    let entry = match known_entry {
        Some(entry) => {
            let profile = kept_profile(context, &entry)?;
            up_to_date(context, entry, &profile)?
        }
        None => {
            terminal::result("no map is known: the program runs once more before, to be profiled");
            let Learned { status, solved, .. } = learn(context, key, None)?;
            let Some(solved) = solved else {
                return Ok(status);
            };
            if !solved.worth {
                terminal::result(
                    "nothing is compared: there is no map, so both orders are the same",
                );
                let corrected = solved.corrected.as_ref();
                if let Some(shares) = corrected.and_then(|corrected| corrected.shares.as_ref()) {
                    terminal::result(shares.words("this run"));
                }
                advice::after_first_run(context, &solved, None);
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
    let plan = plan(context, map);
    let relaunch = relaunch_by_map(context, &plan, Some(&entry));
    let known_map = compare::KnownMap {
        context,
        cache,
        entry: &entry,
        predicted: &solution.predicted,
    };
    let json = context.args.json.as_deref();
    compare::compare(&relaunch, pairs, json, Some(&known_map))
}

/// Runs the launch with its ranks placed by the plan, and stores what the run has measured. Returns
/// the exit status, and what is known of the map then.
fn use_map<'a>(
    context: &'a RunContext,
    plan: &PlacementPlan,
    entry: Option<&Entry>,
    predicted: &'a Predicted,
    keep: Option<&KeptFiles>,
) -> anyhow::Result<(u8, Option<Judged<'a>>)> {
    let relaunch = relaunch_by_map(context, plan, entry);
    if context.args.dry_run {
        let (command, choice) = relaunch.dry(true)?;
        terminal::result(choice);
        outln!("{command}");
        return Ok((0, None));
    }
    let placed = relaunch.measured()?;
    if let Some(profile) = &placed.profile {
        outcome::show(profile, &plan.hosts);
    }
    // A run whose ranks could not be placed counts as one in the launcher's order.
    let is_mapped = placed.how != PlacingMethod::AsLaunched;
    if let (Some(keep), Some(profile), true) = (keep, &placed.profile, is_mapped) {
        keep.mapped(profile)?;
    }
    let status = placed.status(context.args.machine.is_some());
    let (Some(cache), Some(entry)) = (&context.cache, entry) else {
        return Ok((status, None));
    };
    let other = placed.profile.as_ref().filter(|_| is_mapped);
    let other = other.and_then(|profile| repeats::differs(context, entry, profile));
    if let Some(reason) = other.filter(|_| placed.program == 0) {
        drop_map(cache, entry, reason);
    } else if placed.is_misplaced() {
        drop_map(
            cache,
            entry,
            "the launcher did not put the ranks where the map has them".into(),
        );
    } else if placed.program == 0
        && let Some(profile) = &placed.profile
        && let Some(took) = judged_run(context, entry, predicted, profile, is_mapped)
    {
        return Ok((status, judge(context, entry, predicted, took)));
    } else if placed.program != 0 {
        terminal::warning(format_args!(
            "the program failed (status {}): what it took does not count",
            placed.program
        ));
    }
    Ok((status, None))
}
