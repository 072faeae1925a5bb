//! Whether the map of an earlier run still holds for this job, and the new map where it does not.

use super::context::RunContext;
use super::job_hosts;
use super::judge::is_as_profiled;
use super::order_of_job;
use super::problem::{MappingCase, sorted_names};
use super::solve::solve;
use rankfold_cache::{Entry, Host, Measured, State};
use rankfold_console::terminal;
use rankfold_wire::Profile;

/// The entry with a map for the hosts and the machine of this job. The map is made from the kept
/// profile where the entry has no map yet, was made for other hosts or another machine, or the user
/// asks for the figures of the search.
pub(super) fn up_to_date(
    context: &RunContext,
    entry: Entry,
    profile: &Profile,
) -> anyhow::Result<Entry> {
    let hosts = job_hosts::of_this_job(context, &profile.manifest.hosts)?;
    let is_other_machine = is_other_machine(context, &entry, profile, &hosts)?;
    if matches!(entry.state, State::Profiled { .. }) {
        terminal::note(
            "the map was still to be made of the profile of an earlier run: it is made now",
        );
    } else if has_other_hosts(context, &entry) {
        terminal::note("the hosts of this job are others than last time: the map is made anew");
    } else if let Some(reason) = is_other_machine {
        terminal::note(reason);
    } else if context.args.json.is_none() && !context.args.explain {
        return Ok(entry);
    }
    anew(context, &entry, profile, &hosts, is_other_machine.is_some())
}

/// Whether the map was made for other hosts than those of the job.
fn has_other_hosts(context: &RunContext, entry: &Entry) -> bool {
    match (&context.allocation, &entry.allocation) {
        (Some(now), Some(then)) => !same(now, then),
        (Some(_), None) => true,
        (None, _) => false,
    }
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

/// The message that the map was made for another machine than the sources tell now; `None` where it
/// was not. Where no source tells anything now, the map holds as before.
///
/// # Errors
/// The machine that the user asks for is wrong or lacks a host.
fn is_other_machine(
    context: &RunContext,
    entry: &Entry,
    profile: &Profile,
    hosts: &[Host],
) -> anyhow::Result<Option<&'static str>> {
    let Some(solution) = entry.state.solution() else {
        return Ok(None);
    };
    let found = context.look_for_machine(&sorted_names(hosts), &profile.surroundings)?;
    let (now, then) = (&found.digest, &solution.machine_digest);
    Ok(if now.is_empty() || now == then {
        None
    } else if then.is_empty() {
        Some(
            "no source knew the network when the map was made, and one does now: the map is made anew",
        )
    } else {
        Some("the machine is told otherwise than when the map was made: the map is made anew")
    })
}

/// The entry with a new map, made from the kept profile. The new map is stored in the cache.
fn anew(
    context: &RunContext,
    entry: &Entry,
    profile: &Profile,
    hosts: &[Host],
    is_other_machine: bool,
) -> anyhow::Result<Entry> {
    let cache = context
        .cache
        .as_ref()
        .ok_or_else(|| anyhow::anyhow!("no cache"))?;
    let order = &profile.manifest.hosts;
    let same_hosts = context.allocation == entry.allocation;
    let asked = order_of_job::on_other_hosts(context, same_hosts, order.len());
    let mut runs = entry.measured.clone();
    if is_other_machine {
        forget_machine(&mut runs);
    }
    let compares = is_as_profiled(context, entry);
    let solved = solve(
        context,
        &MappingCase {
            profile,
            hosts,
            launched: if same_hosts {
                Some(order)
            } else {
                asked.as_deref()
            },
            fullest: entry.fullest,
            part: entry.state.is_of_part(),
            hurry: true,
            took: None,
            runs: if compares { &runs } else { &[] },
        },
    )?;
    let change = |entry: &mut Entry| {
        let before = std::mem::replace(&mut entry.state, solved.state());
        if same_hosts && !is_other_machine {
            entry.state.keep_promise(&before);
            if let State::Dropped { reason, when, .. } = before {
                entry.drop_map(reason, when);
            }
        }
        entry.allocation.clone_from(&context.allocation);
        if is_other_machine {
            forget_machine(&mut entry.measured);
        }
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

/// Removes what runs have told of another machine: the runs with its map, and what its model has
/// said of the others.
fn forget_machine(runs: &mut Vec<Measured>) {
    runs.retain(|run| !run.mapped);
    for run in runs {
        run.model = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_cache::Predicted;
    use rankfold_cache::samples;

    #[test]
    fn of_another_machine_only_the_times_in_the_launchers_order_are_kept() {
        let launched = samples::measured(false, "1", 8.0);
        let predicted = Predicted {
            launched: 1.0,
            ..Predicted::default()
        };
        let modelled = Measured {
            model: predicted.model_time(false),
            ..launched.clone()
        };
        let mut runs = vec![modelled, samples::measured(true, "1", 4.0)];
        forget_machine(&mut runs);
        let kept = Measured {
            model: None,
            ..launched
        };
        assert_eq!(runs, [kept]);
    }
}
