//! The times of all ranks, by rank and by function.

use crate::ledger::{Sums, add};
use crate::time::{CallClass, FunctionTime, Time};
use crate::timed_function::TimedFunction;
use std::collections::BTreeMap;

/// Nanoseconds and calls of the ranks that have measured their times.
#[derive(Default)]
pub(super) struct MergedTimes {
    classes: BTreeMap<u32, BTreeMap<CallClass, Sums>>,
    functions: BTreeMap<(CallClass, TimedFunction), BTreeMap<u32, Sums>>,
}

impl MergedTimes {
    /// Adds one time of `rank`.
    pub(super) fn add(
        &mut self,
        rank: u32,
        class: CallClass,
        function: Option<TimedFunction>,
        (nanoseconds, calls): Sums,
    ) {
        let classes = self.classes.entry(rank).or_default();
        add(classes.entry(class).or_default(), nanoseconds, calls);
        if let Some(function) = function {
            let ranks = self.functions.entry((class, function)).or_default();
            add(ranks.entry(rank).or_default(), nanoseconds, calls);
        }
    }

    /// The times of every rank in each class of calls; empty if no rank has measured any.
    pub(super) fn by_rank(&mut self, ranks: usize) -> Vec<Vec<Time>> {
        if self.classes.is_empty() {
            return Vec::new();
        }
        let time = |(class, (nanoseconds, calls))| Time {
            class,
            nanoseconds,
            calls,
        };
        let mut of = |rank| {
            let classes = self.classes.remove(&rank).unwrap_or_default();
            classes.into_iter().map(time).collect()
        };
        (0..).take(ranks).map(&mut of).collect()
    }

    /// The times of all ranks together in each function.
    pub(super) fn by_function(&self) -> Vec<FunctionTime> {
        let functions = self.functions.iter();
        functions
            .map(|(&(class, function), ranks)| {
                let mut of_all = FunctionTime {
                    class,
                    function: function.name().to_owned(),
                    nanoseconds: 0,
                    calls: 0,
                    longest: 0,
                    longest_rank: 0,
                };
                for (&rank, &(nanoseconds, calls)) in ranks {
                    of_all.nanoseconds = of_all.nanoseconds.saturating_add(nanoseconds);
                    of_all.calls = of_all.calls.saturating_add(calls);
                    if nanoseconds > of_all.longest {
                        (of_all.longest, of_all.longest_rank) = (nanoseconds, rank);
                    }
                }
                of_all
            })
            .collect()
    }
}
