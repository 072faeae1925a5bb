//! The time that a run spent inside MPI, from the ranks that measured it.

use crate::cache::{Measured, now};
use crate::launch::Launch;
use rankfold_profile::{CallClass, Profile, Time};

/// The times that the ranks of a run have measured; `None` if no rank has measured any. `mapped`
/// says whether the ranks were placed by the map.
pub(super) fn measured(profile: &Profile, launch: &Launch, mapped: bool) -> Option<Measured> {
    let timed: Vec<&Vec<Time>> = profile
        .times
        .iter()
        .filter(|times| !times.is_empty())
        .collect();
    let inside = |times: &&Vec<Time>| -> f64 {
        let of_mpi = times.iter().filter(|time| time.class != CallClass::Run);
        of_mpi.map(Time::seconds).sum()
    };
    let run = |times: &&Vec<Time>| {
        let run = times.iter().find(|time| time.class == CallClass::Run);
        run.map_or(0.0, Time::seconds)
    };
    if timed.is_empty() {
        return None;
    }
    let mut hosts = profile.manifest.hosts.clone();
    hosts.sort_unstable();
    hosts.dedup();
    Some(Measured {
        mapped,
        arguments: arguments(launch),
        hosts,
        seconds: timed.iter().map(inside).sum::<f64>() / timed.len() as f64,
        run: timed.iter().map(run).fold(0.0, f64::max),
        ranks: timed.len(),
        when: now(),
    })
}

/// All words of the programs' command lines.
fn arguments(launch: &Launch) -> Vec<String> {
    let words = launch.apps.iter().flat_map(|app| &app.program);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The number of ranks on the host with the most ranks.
pub(super) fn fullest(hosts: &[String]) -> u32 {
    let mut sorted: Vec<&String> = hosts.iter().collect();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|a, b| a == b).map(<[&String]>::len).max();
    most.unwrap_or(1) as u32
}
