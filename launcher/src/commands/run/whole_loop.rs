//! `rankfold run` without a mapfile: the first run of a program is profiled and mapped, later ones
//! use the map as long as it is the better order. With `--machine` the map is used at once, by a
//! second run.

use super::cores::noted;
use super::corrected;
use super::kept_files::KeptFiles;
use super::learn::{Learned, learn};
use super::measure::measured;
use super::outcome;
use super::relaunch::Relaunch;
use super::report;
use super::solve::{MappingCase, RunContext, SolvedMap, discovered, solve};
use crate::cache::{Cache, Entry, Host, Key, Lookup, Measured};
use crate::commands::profile;
use crate::launch::quoted;
use crate::placement::{PlacementPlan, RankCores};
use crate::rank_mapper::RankMapper;
use crate::{discovery, job, signals};
use rankfold_mapper::cli::output;
use rankfold_profile::Profile;
use std::path::Path;

pub(super) fn run(context: &RunContext) -> anyhow::Result<u8> {
    let (args, launch) = (context.args, context.launch);
    // Everything that can be refused is refused before the first run.
    check(context)?;
    let keep = match args.keep.as_deref().filter(|_| !args.dry_run) {
        Some(directory) => Some(KeptFiles::new(directory, launch.program())?),
        None => None,
    };
    let ranks = launch.ranks()?.map(|(ranks, _)| ranks);
    let machine = args.machine.as_deref().unwrap_or(&context.cluster);
    let how = match &args.collectives {
        Some(model) => format!("{:?} {model}", args.search),
        None => format!("{:?}", args.search),
    };
    let key = Key::new(launch, ranks, &format!("{machine} {how}"));
    let known = match &context.cache {
        Some(cache) if !args.once && args.after.is_none() => known(cache, &key),
        _ => None,
    };
    let status = match known {
        Some(entry) => remembered(context, entry, keep.as_ref()),
        None => first(context, &key, keep.as_ref()),
    }?;
    if let Some(file) = args.report.as_deref().filter(|_| !args.dry_run) {
        signals::let_end();
        report::write(context, &key, file);
    }
    Ok(status)
}

/// Refuses options that do not fit.
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

/// What is remembered of a run that is the same.
fn known(cache: &Cache, key: &Key) -> Option<Entry> {
    match cache.find(&key.name()) {
        Ok(Lookup::Entry(entry)) => Some(*entry),
        Ok(Lookup::Nothing) => None,
        Ok(Lookup::Unusable(why)) => {
            eprintln!("rankfold: {why}: not used, and made anew");
            None
        }
        Err(error) => {
            eprintln!("rankfold: nothing is remembered: {error}");
            None
        }
    }
}

/// The first run: profiled, and with `--machine` a second one with the map.
fn first(context: &RunContext, key: &Key, keep: Option<&KeptFiles>) -> anyhow::Result<u8> {
    let args = context.args;
    if args.dry_run {
        println!(
            "{}",
            profile::dry(context.launch, Path::new("profile.rfp"), false)?
        );
        return Ok(0);
    }
    let Learned { status, solved } = learn(context, key, keep)?;
    let Some(solved) = solved else {
        return Ok(status);
    };
    let name = key.name();
    if args.machine.is_none() || args.once {
        let seconds = context
            .corrected(&solved.predicted)
            .map_or(String::new(), |corrected| {
                format!(": {}", corrected.words())
            });
        match solved.worth {
            true => eprintln!(
                "rankfold: predicted to be {:.1} times as fast in communication with the map ({}){seconds}; the next run uses it: rankfold cache show {name}",
                solved.predicted.gain(),
                solved.heuristic
            ),
            false => eprintln!(
                "rankfold: the order the launcher chooses stays: no other is predicted to be better by a hundredth"
            ),
        }
        return Ok(status);
    }
    let entry = context.cache.as_ref().and_then(|cache| known(cache, key));
    let plan = plan(&solved.hosts, solved.cores);
    use_map(context, &plan, entry.as_ref(), &solved.predicted, keep)
}

/// Ranks on hosts, and on cores there.
fn plan(hosts: &[String], cores: RankCores) -> PlacementPlan {
    PlacementPlan {
        hosts: hosts.to_vec(),
        rankfile: None,
        shares_cores: false,
        cores,
    }
}

/// A later run: with the map, or in the launcher's own order where that was the better one.
fn remembered(context: &RunContext, entry: Entry, keep: Option<&KeptFiles>) -> anyhow::Result<u8> {
    let args = context.args;
    let changed = match (&context.allocation, &entry.allocation) {
        (Some(now), Some(then)) => !same(now, then),
        (Some(_), None) => true,
        _ => false,
    };
    let entry = if entry.unsolved || changed || args.json.is_some() || args.explain {
        if entry.unsolved {
            eprintln!(
                "rankfold: the map was still to be made of the profile of an earlier run: it is made now"
            );
        } else if changed {
            eprintln!(
                "rankfold: the hosts of this job are others than last time: the map is made anew"
            );
        }
        match anew(context, &entry) {
            Ok(entry) => entry,
            Err(error) if args.machine.is_some() => return Err(error),
            Err(error) => {
                eprintln!(
                    "rankfold: no map for these hosts: {error:#}; the launcher's own order is used"
                );
                return plain(context);
            }
        }
    } else {
        entry
    };
    if let Some(keep) = keep {
        keep_remembered(context, &entry, keep)?;
    }
    match (&entry.map, &entry.dropped) {
        (Some(map), None) => {
            let plan = plan(map, noted(&entry));
            use_map(context, &plan, Some(&entry), &entry.predicted, keep)
        }
        (_, Some(reason)) => {
            eprintln!(
                "rankfold: the launcher's own order is used: {reason} (rankfold cache clear {} forgets that)",
                entry.name
            );
            plain(context)
        }
        (None, None) => {
            eprintln!(
                "rankfold: the launcher's own order is used: no other is predicted to be better by a hundredth"
            );
            plain(context)
        }
    }
}

/// Keeps the profile and the map of an earlier run.
fn keep_remembered(context: &RunContext, entry: &Entry, keep: &KeptFiles) -> anyhow::Result<()> {
    if let Some(cache) = &context.cache {
        keep.profile(&cache.profile(&entry.name)?)?;
    }
    entry.map.as_ref().map_or(Ok(()), |map| keep.map(map))
}

/// Whether two allocations are the same hosts with the same slots.
fn same(one: &[Host], other: &[Host]) -> bool {
    let sorted = |hosts: &[Host]| {
        let mut hosts = hosts.to_vec();
        hosts.sort_unstable();
        hosts
    };
    sorted(one) == sorted(other)
}

/// The entry with a map for the hosts of this job, made from the profile that is kept; it is kept
/// too.
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
    let solved: SolvedMap = solve(
        context,
        &MappingCase {
            profile: &profile,
            hosts,
            default: same_hosts.then_some(order),
            a_host: entry.a_host,
            part: entry.predicted.part,
            hurry: true,
        },
    )?;
    let change = |entry: &mut Entry| {
        entry.allocation.clone_from(&context.allocation);
        solved.note(entry);
    };
    let mut now = entry.clone();
    change(&mut now);
    if !context.args.dry_run {
        // Another job may be on other hosts at this moment: this one goes by what it has found
        // itself.
        let _ = cache.change(&entry.name, change);
    }
    Ok(now)
}

fn names_of(order: &[String]) -> Vec<Host> {
    let mut names = order.to_vec();
    names.sort_unstable();
    names.dedup();
    let host = |name| Host { name, slots: None };
    names.into_iter().map(host).collect()
}

/// The launch as it is.
fn plain(context: &RunContext) -> anyhow::Result<u8> {
    let words = context.launch.words();
    if context.args.dry_run {
        println!("{}", quoted(&words));
        return Ok(0);
    }
    job::run(&words, |_| true)
}

/// The launch with its ranks as planned, measured; tells what was gained, and drops a map that has
/// lost.
fn use_map(
    context: &RunContext,
    plan: &PlacementPlan,
    entry: Option<&Entry>,
    predicted: &crate::cache::Predicted,
    keep: Option<&KeptFiles>,
) -> anyhow::Result<u8> {
    let relaunch = Relaunch {
        solver: solver(context, &plan.hosts, entry),
        ..Relaunch::new(context.launch, plan, "the map", context.args.how)
    };
    if context.args.dry_run {
        let (command, choice) = relaunch.dry(true)?;
        eprintln!("rankfold: {choice}");
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
        && let Some(took) = measured(profile, context.launch, true)
    {
        // As it was known before this run.
        let corrected = context.corrected(predicted);
        judge(context, cache, entry, predicted, took.clone());
        outcome::tell(cache, &entry.name, predicted, corrected.as_ref(), &took);
    } else if placed.program != 0 {
        eprintln!(
            "rankfold: the program failed (status {}): what it took does not count",
            placed.program
        );
    }
    Ok(placed.status(context.args.machine.is_some()))
}

/// Who makes a map for other hosts inside `MPI_Init`: only where nothing tells the hosts before the
/// launch.
fn solver(context: &RunContext, hosts: &[String], entry: Option<&Entry>) -> Option<RankMapper> {
    if context.allocation.is_some() || !context.launch.launcher.chooses_hosts() {
        return None;
    }
    let profile = context.cache.as_ref()?.profile_file(&entry?.name);
    let mut names = hosts.to_vec();
    names.sort_unstable();
    names.dedup();
    // Without it the map is followed on other hosts of the same shape alone.
    let found = discovered(context, &names, &[]).ok()?;
    RankMapper::new(&found, &context.args.nodes, Some(profile)).ok()
}

/// A map is dropped when it takes so many times as long as the launcher's own order.
const LOST: f64 = 1.05;

/// So many runs with the map have to say so: others may have kept the network busy during one.
const ENOUGH: usize = 2;

/// Notes what a run with the map took, and tells what it has gained.
fn judge(
    context: &RunContext,
    cache: &Cache,
    entry: &Entry,
    predicted: &crate::cache::Predicted,
    took: Measured,
) {
    // Other arguments may send more than what was profiled.
    if entry.launch == quoted(&context.launch.words()) && !predicted.part {
        corrected::learn(
            cache,
            &context.cluster,
            &predicted.unit,
            took.seconds / predicted.mapped,
        );
    }
    let like = took.clone();
    let now = match cache.change(&entry.name, |entry| entry.add(took)) {
        Ok(Some(now)) => now,
        Ok(None) => return,
        Err(error) => {
            eprintln!("rankfold: what this run took is not remembered: {error}");
            return;
        }
    };
    let expected = predicted.gain();
    let Some(gain) = now.gain(&like) else {
        eprintln!(
            "rankfold: communication took {:.3} s a rank; predicted {expected:.1} times as fast as in the launcher's own order, which was not measured with these arguments on these hosts (--once does)",
            like.seconds
        );
        return;
    };
    let before = now.seconds(&like, false).unwrap_or_default();
    let after = now.seconds(&like, true).unwrap_or_default();
    eprintln!(
        "rankfold: communication {gain:.1} times as fast, predicted {expected:.1}: {after:.3} s a rank inside MPI, {before:.3} s in the launcher's own order"
    );
    if gain * LOST >= 1.0 {
        return;
    }
    if now.runs(&like, true) < ENOUGH {
        eprintln!("rankfold: one run says little: the next one decides whether the map stays");
        return;
    }
    let reason = format!(
        "the map took {:.2} times as long in communication",
        1.0 / gain
    );
    drop_map(cache, entry, reason);
}

fn drop_map(cache: &Cache, entry: &Entry, reason: String) {
    eprintln!("rankfold: the map is dropped: {reason}");
    let _ = cache.change(&entry.name, |entry| entry.dropped = Some(reason));
}
