//! The profiled run of a program. Its map is made while the job ends, and stored for the next run.

use super::advice;
use super::context::RunContext;
use super::job_hosts;
use super::kept_files::KeptFiles;
use super::measure::{fullest, measured};
use super::problem::MappingCase;
use super::renumbered_world;
use super::solve::{SolvedMap, solve};
use crate::commands::profile;
use crate::commands::profile_watch::ProfileWatch;
use crate::signals;
use rankfold_cache::{Cache, Entry, Key, Measured, State, now};
use rankfold_console::terminal;
use rankfold_launch::launch::quoted;
use rankfold_wire::{Outcome, Profile};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The result of the profiled run.
pub(super) struct Learned {
    /// The program's exit status.
    pub(super) status: u8,
    /// The map; `None` where none was made.
    pub(super) solved: Option<SolvedMap>,
    /// Whether the map is in the cache.
    pub(super) is_remembered: bool,
}

/// Profiles the launch and makes its map. The profile and the map are stored in the cache under
/// `key`, and in the directory of `--keep`.
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
    let times_worlds = renumbered_world::is_unknown(context);
    let began = Instant::now();
    let profiled = profile::profile_and(context.launch, meanwhile, times_worlds, interrupted)?;
    signals::let_end();
    renumbered_world::learn(context, &profiled);
    let status = profiled.status;
    // Why a launch has failed that left no profile is told already.
    let is_told = profiled.profile.is_none() && status != 0;
    let Some(profile) = profiled.profile.filter(|_| status == 0) else {
        let is_asked = signals::asked_for_the_end();
        let ended = |so: String| {
            terminal::warning(format_args!(
                "the program ended with status {status}; all its ranks had reached MPI_Finalize{so}"
            ));
        };
        match &outcome {
            None if is_asked || !is_told => {
                terminal::warning(nothing_mapped(status, is_asked, began.elapsed()));
            }
            None => {}
            Some(Ok((solved, _))) if !solved.worth => ended(format!(
                "; the launcher's order stays: {}",
                advice::why_none(context, solved)
            )),
            Some(Ok((_, Some(entry)))) => ended(format!(
                ", so the next run uses the map: rankfold cache show {}",
                entry.name
            )),
            Some(Ok((_, None))) => {
                ended("; the map is not remembered, so the next run is profiled again".into());
            }
            Some(Err(error)) => ended(format!("; nothing is mapped: {error:#}")),
        }
        return Ok(Learned {
            status,
            solved: None,
            is_remembered: false,
        });
    };
    if terminal::shows_notes() {
        profile::show(&profile);
    }
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => solve_and_keep(context, key, &profile, &solving),
    };
    if let Some(keep) = keep {
        keep.profile(&profile)?;
    }
    let (solved, entry) = match outcome {
        Ok(outcome) => outcome,
        // The program has run, and its exit status is that of this run.
        Err(error) => {
            terminal::warning(format_args!("nothing is mapped: {error:#}"));
            return Ok(Learned {
                status,
                solved: None,
                is_remembered: false,
            });
        }
    };
    if let Some(keep) = keep {
        keep.map(&solved.map.hosts)?;
    }
    if let (Some(cache), Some(entry)) = (&context.cache, &entry) {
        store_times(cache, entry, &solved);
    }
    Ok(Learned {
        status,
        solved: Some(solved),
        is_remembered: entry.is_some(),
    })
}

/// Makes the map of a profile. Where there is a cache, the profile is stored first and the map
/// after it. `solving` is true while the map is made and the profile is stored, so that nothing is
/// lost if this process ends.
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
        anyhow::bail!("the profile lacks some ranks");
    }
    let hosts = job_hosts::of_profiled_run(context, order);
    let case = MappingCase {
        profile,
        hosts: &hosts,
        launched: Some(order),
        fullest: fullest(order),
        part: context.args.after.is_some(),
        hurry: false,
        took: first(context, profile),
        runs: &[],
    };
    let Some(cache) = &context.cache else {
        return Ok((solve(context, &case)?, None));
    };
    let stored = cache.keep(&profiled(context, key, &case), profile);
    if let Err(error) = &stored {
        terminal::warning(format_args!("the map is not remembered: {error}"));
    }
    solving.store(stored.is_ok(), Ordering::Release);
    let solved = solve(context, &case);
    solving.store(false, Ordering::Release);
    let solved = solved?;
    let entry = match stored {
        Ok(()) => cache.change(&key.name(), |entry| entry.state = solved.state())?,
        Err(_) => None,
    };
    Ok((solved, entry))
}

/// What the first run of a program has measured.
fn first(context: &RunContext, profile: &Profile) -> Option<Measured> {
    Some(Measured {
        first: true,
        ..measured(context, profile, false)?
    })
}

/// Why nothing is mapped of a run that has ended with this status after some time, and what to do.
fn nothing_mapped(status: u8, is_asked: bool, after: Duration) -> String {
    // Of signals by which others end a job: SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGXCPU; and that of
    // the command timeout.
    const ENDED: [u8; 6] = [124, 129, 130, 137, 143, 152];
    /// As much as a minute of a run tells enough. Chosen by hand.
    const ENOUGH: u64 = 60;
    let part = (after.as_secs() / 2).min(ENOUGH);
    let cause = match status {
        0 => {
            return "nothing is mapped: there is no profile; rankfold doctor -- LAUNCH tells why"
                .into();
        }
        124 => format!("a time limit ended the job (status {status})"),
        _ if is_asked || ENDED.contains(&status) => {
            format!("a signal ended the job (status {status})")
        }
        _ => format!("the program ended with status {status}"),
    };
    match part {
        0 => format!(
            "nothing is mapped: {cause} within two seconds; a longer run, or one to MPI_Finalize, is"
        ),
        _ => format!("nothing is mapped: {cause}; --after {part}s maps its first {part} s"),
    }
}

/// The entry of a run whose map is not made yet.
fn profiled(context: &RunContext, key: &Key, case: &MappingCase) -> Entry {
    Entry {
        name: key.name(),
        key: key.json(),
        launch: quoted(&context.launch.words()),
        ranks: case.profile.manifest.hosts.len(),
        allocation: context.allocation.clone(),
        fullest: case.fullest,
        state: State::Profiled { part: case.part },
        measured: Vec::new(),
        made: now(),
        used: now(),
    }
}

/// The user interrupts while the map is made: what the run has measured is stored, and the user is
/// told that the profile is kept.
fn interrupt(context: &RunContext, key: &Key, status: u8) {
    let name = key.name();
    terminal::warning(format_args!(
        "interrupted before the map was made; the profile is kept, and the next run makes the map of it: rankfold cache show {name}"
    ));
    let Some(cache) = &context.cache else { return };
    if status == 0
        && context.args.after.is_none()
        && let Ok(profile) = cache.profile(&name)
        && let Some(took) = first(context, &profile)
    {
        let _ = cache.change(&name, |entry| entry.add(took));
    }
}

/// Stores the measured times of the profiled run. Nothing is stored where only the first part of
/// the run was profiled, since times of whole runs do not compare with it.
fn store_times(cache: &Cache, entry: &Entry, solved: &SolvedMap) {
    let Some(took) = solved.took.clone().filter(|took| took.model.is_some()) else {
        return;
    };
    // The gain of the next run is measured against this time.
    if let Err(error) = cache.change(&entry.name, |entry| entry.add(took)) {
        terminal::warning(format_args!(
            "what this run took is not remembered: {error}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_fails_is_told_what_to_do() {
        // mpirun of a program that is not there may end with 132, which is no signal's.
        let hour = Duration::from_secs(3600);
        for (status, asked, cause) in [
            (3, false, "the program ended with status 3"),
            (132, false, "the program ended with status 132"),
            (143, false, "a signal ended the job (status 143)"),
            (1, true, "a signal ended the job (status 1)"),
            (124, false, "a time limit ended the job (status 124)"),
        ] {
            let long = nothing_mapped(status, asked, hour);
            assert!(
                long.contains(cause) && long.contains("--after 60s"),
                "{long}"
            );
            let short = nothing_mapped(status, asked, Duration::from_secs(5));
            assert!(short.contains("--after 2s maps its first 2 s"), "{short}");
            let none = nothing_mapped(status, asked, Duration::from_millis(1900));
            assert!(!none.contains("--after"), "{none}");
        }
    }
}
