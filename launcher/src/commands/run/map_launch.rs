//! The launch of a program with a map: what the cache and the allocation say about it beforehand.

use super::context::RunContext;
use super::relaunch::Relaunch;
use super::renumbered_world;
use crate::rank_mapper::RankMapper;
use rankfold_cache::{Entry, Host};
use rankfold_launch::placement::{LaunchedSeats, PlacementPlan, canonical};
use rankfold_wire::Profile;

/// The launch with its ranks placed by the plan. `entry` is what the cache has of the program.
pub(super) fn relaunch_by_map<'a>(
    context: &'a RunContext,
    plan: &'a PlacementPlan,
    entry: Option<&Entry>,
) -> Relaunch<'a> {
    Relaunch {
        solver: solver(context, &plan.hosts, entry),
        lost_seat: context.args.lost_seat.unwrap_or_default(),
        slower: slower(context),
        ..Relaunch::new(context.launch, plan, "the map", context.args.how)
    }
    .with_seats(launched(context, plan, entry))
}

/// The profile that the map of an entry is made from.
pub(super) fn kept_profile(context: &RunContext, entry: &Entry) -> anyhow::Result<Profile> {
    let cache = context.cache.as_ref();
    let cache = cache.ok_or_else(|| anyhow::anyhow!("no cache"))?;
    cache.profile(&entry.name)
}

/// Why the ranks are not to be renumbered on this machine, if they are not.
fn slower(context: &RunContext) -> Option<String> {
    let cache = context.cache.as_ref()?;
    renumbered_world::why_not(cache, &context.cluster, context.launch)
}

/// The seats of the profiled run, where that was on the hosts of this one, or where this launch
/// cannot be asked because its hosts are not known yet.
fn launched(
    context: &RunContext,
    plan: &PlacementPlan,
    entry: Option<&Entry>,
) -> Option<LaunchedSeats> {
    let profile = kept_profile(context, entry?).ok()?;
    let seats = LaunchedSeats::of_profile(&profile)?;
    let was_there = |host: &Host| {
        let host = canonical(&host.name);
        seats.seats.iter().any(|seat| canonical(&seat.host) == host)
    };
    let hosts = context.allocation.as_ref();
    let is_same = hosts.is_none_or(|hosts| hosts.iter().all(was_there));
    (plan.hosts_are_open || is_same).then_some(seats)
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
    let found = context.look_for_machine(&names, &[]).ok()?.found;
    let mapper = RankMapper::new(&found, &context.args.nodes, Some(profile)).ok()?;
    Some(mapper.keeping(&context.args.search.constraints))
}
