//! Time in MPI, by kind of call and by function.

use crate::data::{TimeClass, TimeInFunction, Times};
use rankfold_wire::{CallClass, FunctionTime, Profile, Time};
use std::cmp::Reverse;

/// Maximum number of columns in the picture of time in MPI. Chosen by hand, like the limit below.
const COLUMNS: usize = 256;
/// Maximum number of functions listed; those with the longest time are kept.
const FUNCTIONS: usize = 24;

/// The times of the profile's run; `None` if calls were not timed.
pub(super) fn of(profile: &Profile) -> Option<Times> {
    let times = &profile.times;
    if times.is_empty() {
        return None;
    }
    let each = times.len().div_ceil(COLUMNS);
    let of = |class: CallClass, rank: &Vec<Time>| rank.iter().find(|t| t.class == class).copied();
    let seconds = |class, rank| of(class, rank).map_or(0.0, |time| time.seconds());
    // Of large jobs, a sample of the ranks measures times.
    let timed = |ranks: &[Vec<Time>]| {
        let timed = ranks.iter().filter(|times| !times.is_empty());
        timed.count().max(1) as f64
    };
    let columns = |class| -> Vec<f64> {
        let blocks = times.chunks(each);
        blocks
            .map(|ranks| ranks.iter().map(|r| seconds(class, r)).sum::<f64>() / timed(ranks))
            .collect()
    };
    let class = |class: CallClass| {
        let mut most = (0.0, 0);
        let (mut sum, mut calls) = (0.0, 0);
        for (rank, times) in times.iter().enumerate() {
            let spent = seconds(class, times);
            if spent > most.0 {
                most = (spent, rank);
            }
            sum += spent;
            calls += of(class, times).map_or(0, |time| time.calls);
        }
        (calls > 0).then(|| TimeClass {
            name: class.name().into(),
            seconds: columns(class),
            mean: sum / timed(times),
            most: most.0,
            most_rank: most.1,
            calls,
        })
    };
    let kinds = CallClass::ALL.into_iter().filter(|&c| c != CallClass::Run);
    Some(Times {
        ranks_each: each,
        run: columns(CallClass::Run),
        classes: kinds.filter_map(class).collect(),
        functions: functions(profile, timed(times)),
    })
}

/// The functions with the longest time. `timed` is the number of ranks that measured times.
fn functions(profile: &Profile, timed: f64) -> Vec<TimeInFunction> {
    let mut times: Vec<&FunctionTime> = profile.function_times.iter().collect();
    times.sort_by_key(|time| Reverse(time.nanoseconds));
    let listed = times.into_iter().take(FUNCTIONS);
    listed
        .map(|time| TimeInFunction {
            function: time.function.clone(),
            class: time.class.name().into(),
            mean: time.nanoseconds as f64 * 1e-9 / timed,
            most: time.longest as f64 * 1e-9,
            most_rank: time.longest_rank as usize,
            calls: time.calls,
        })
        .collect()
}
