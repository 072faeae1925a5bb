//! The time that a run spent inside MPI, from the ranks that measured it.

use super::context::RunContext;
use rankfold_cache::{Circumstances, Measured, now};
use rankfold_formats::rfp;
use rankfold_launch::launch::Launch;
use rankfold_mapper::cli::input::collectives;
use rankfold_wire::{CallClass, Profile, Time};

/// The calls that wait for bytes from one rank to another, or send them.
const MESSAGES: [CallClass; 5] = [
    CallClass::Send,
    CallClass::Receive,
    CallClass::Wait,
    CallClass::Neighbour,
    CallClass::OneSided,
];

/// A rank whose run is shorter than this share of the longest run is left out where ranks are
/// compared: it has left before the work was done. Chosen by hand; not measured.
const WHOLE_RUN: f64 = 0.5;

/// The times that the ranks of a run have measured; `None` if no rank has measured any. `mapped`
/// says whether the ranks were placed by the map.
pub(super) fn measured(context: &RunContext, profile: &Profile, mapped: bool) -> Option<Measured> {
    let circumstances = Circumstances::new(
        arguments(context.launch),
        context.allocation.as_deref(),
        profile.manifest.hosts.clone(),
    );
    of_profile(
        profile,
        context.args.collectives.as_deref(),
        circumstances,
        mapped,
    )
}

/// The same of any profile; `model` names that of collectives.
pub(in crate::commands) fn of_profile(
    profile: &Profile,
    model: Option<&str>,
    circumstances: Circumstances,
    mapped: bool,
) -> Option<Measured> {
    let ranks = timed(profile);
    let seconds = inside_seconds(profile)?;
    let modelled = rfp::holds_collectives(profile, collectives(model));
    Some(Measured {
        mapped,
        first: false,
        circumstances,
        seconds,
        run: longest_run(&ranks),
        movable: movable(&ranks, modelled),
        model: None,
        ranks: ranks.len(),
        when: now(),
    })
}

/// The times of the ranks that measured them.
fn timed(profile: &Profile) -> Vec<&[Time]> {
    let times = profile.times.iter().map(Vec::as_slice);
    times.filter(|times| !times.is_empty()).collect()
}

/// Seconds from the end of `MPI_Init` to the beginning of `MPI_Finalize` of the rank with the
/// longest run. 0 where no rank has ended its run.
pub(in crate::commands) fn run_seconds(profile: &Profile) -> f64 {
    longest_run(&timed(profile))
}

/// Seconds inside MPI, the mean of the ranks that measured them; `None` if no rank has.
pub(in crate::commands) fn inside_seconds(profile: &Profile) -> Option<f64> {
    let ranks = timed(profile);
    let inside: f64 = ranks.iter().map(|times| seconds(times, in_mpi)).sum();
    (!ranks.is_empty()).then(|| inside / ranks.len() as f64)
}

fn longest_run(ranks: &[&[Time]]) -> f64 {
    let runs = ranks.iter().map(|times| seconds(times, is_run));
    runs.fold(0.0, f64::max)
}

fn is_run(class: CallClass) -> bool {
    class == CallClass::Run
}

fn in_mpi(class: CallClass) -> bool {
    class != CallClass::Run
}

fn seconds(times: &[Time], counts: impl Fn(CallClass) -> bool) -> f64 {
    let counted = times.iter().filter(|time| counts(time.class));
    counted.map(Time::seconds).sum()
}

/// The most seconds inside MPI that messages between ranks can account for, the smaller of two
/// bounds:
///
/// * the time in MPI of the rank with the least. The busiest rank waits for nobody, so what others
///   spend beyond that is waiting for it, and no placement changes it (load balance, in the
///   standard metrics of the Performance Optimisation and Productivity Centre of Excellence).
/// * the time in [`MESSAGES`] of the rank with the most, since other ranks may wait for its
///   messages in a collective. Collectives count as messages where they are `modelled` as such.
///
/// Files count in neither.
fn movable(ranks: &[&[Time]], modelled: bool) -> Option<f64> {
    let longest = longest_run(ranks);
    let whole = ranks
        .iter()
        .filter(|times| seconds(times, is_run) >= WHOLE_RUN * longest);
    let least = whole
        .map(|times| seconds(times, |class| in_mpi(class) && class != CallClass::Io))
        .min_by(f64::total_cmp)?;
    let is_message = |class: CallClass| {
        MESSAGES.contains(&class) || (modelled && class == CallClass::Collective)
    };
    let messages = ranks.iter().map(|times| seconds(times, is_message));
    Some(messages.fold(0.0, f64::max).min(least))
}

/// All words of the programs' command lines.
pub(super) fn arguments(launch: &Launch) -> Vec<String> {
    let words = launch.apps.iter().flat_map(|app| &app.program);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The number of ranks on the host with the most ranks.
pub(in crate::commands) fn fullest(hosts: &[String]) -> u32 {
    let mut sorted: Vec<&String> = hosts.iter().collect();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|a, b| a == b).map(<[&String]>::len).max();
    most.unwrap_or(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(spent: &[(CallClass, u64)]) -> Vec<Time> {
        let of = |&(class, seconds)| Time {
            class,
            nanoseconds: seconds * 1_000_000_000,
            calls: 1,
        };
        spent.iter().map(of).collect()
    }

    fn movable_of(ranks: &[Vec<Time>], modelled: bool) -> f64 {
        let ranks: Vec<&[Time]> = ranks.iter().map(Vec::as_slice).collect();
        movable(&ranks, modelled).unwrap()
    }

    #[test]
    fn waiting_for_a_slow_rank_is_not_moving_bytes() {
        use CallClass::{Io, Run, Wait};
        let slow = rank(&[(Wait, 1), (Io, 5), (Run, 20)]);
        let others = rank(&[(Wait, 9), (Run, 20)]);
        assert_eq!(movable_of(&[others.clone(), slow, others], false), 1.0);
    }

    #[test]
    fn who_waits_in_a_collective_for_the_messages_of_another_rank_waits_for_messages() {
        use CallClass::{Collective, Run, Wait};
        let near = rank(&[(Wait, 1), (Collective, 5), (Run, 9)]);
        let far = rank(&[(Wait, 4), (Collective, 2), (Run, 9)]);
        let ranks = [near, far];
        assert_eq!(movable_of(&ranks, false), 4.0);
        assert_eq!(movable_of(&ranks, true), 6.0, "collectives are messages");
    }

    #[test]
    fn a_rank_that_leaves_early_does_not_stand_for_the_others() {
        use CallClass::{Run, Wait};
        let spare = rank(&[(Run, 1)]);
        let others = rank(&[(Wait, 5), (Run, 9)]);
        assert_eq!(movable_of(&[spare, others], false), 5.0);
    }
}
