//! Whether a map has lost against the order as launched, and which order the next run takes to
//! find that out.
//!
//! Runs of one program differ by noise, and a cluster is busier on some days than on others. So a
//! map is judged by pairs of runs that follow each other, one in each order. While the map seems to
//! be slower, runs take both orders in turn, until the map is known to lose or enough pairs are
//! measured. All times are seconds inside MPI of runs in comparable circumstances.

use rankfold_cache::statistics::{Ratio, median};
use rankfold_cache::{BothOrders, Measured};
use std::ops::RangeInclusive;

/// Days after which a measurement does not count in a trial any more. A map that was dropped is
/// tried again after the same time. Chosen by hand; not measured.
pub(super) const EXPIRY_DAYS: u64 = 14;

/// Pairs of runs after which a trial ends. With fewer pairs the interval below cannot have its
/// certainty: seven runs of each order that are all slower happen by chance once in 3432 trials.
pub(super) const PAIRS: usize = 7;

/// The certainty of the interval of the ratio that has to lie on the side of the order
/// as launched. Chosen by hand: one in a thousand trials without a difference may have such an
/// interval.
const CERTAINTY: f64 = 0.999;

/// Pairs of runs after which a clear loss drops a map. Chosen by hand, and simulated by the test
/// `noise_alone_never_drops_a_map`.
pub(super) const CLEAR_PAIRS: usize = 4;

/// A map has a clear loss if each run with it took so many times as long as the longest run in the
/// order as launched. Chosen by hand, and simulated by the same test.
pub(super) const CLEAR_LOSS: f64 = 2.0;

/// A trial begins where the latest runs with the map took this many times as long as those in the
/// order as launched. Chosen by hand; not measured.
const SEEMS_SLOWER: f64 = 1.02;

/// The fewest and the most latest runs with the map that show whether it seems to be slower. One
/// run says little. Chosen by hand.
const LATEST: RangeInclusive<usize> = 2..=3;

/// The part of all comparable runs that counts, and what follows from it.
#[derive(Debug)]
pub(super) struct Trial {
    /// Entry i of both orders are the runs of pair i.
    pairs: BothOrders,
    /// All runs that count.
    all: BothOrders,
    /// Whether the last run had the map.
    last_is_mapped: bool,
}

impl Trial {
    /// The trial of a map by comparable `runs`, the oldest first, at `now` in seconds since 1970.
    pub(super) fn new<'a>(runs: impl Iterator<Item = &'a Measured>, now: u64) -> Self {
        let runs: Vec<&Measured> = runs.filter(|run| !is_expired(run.when, now)).collect();
        let mut pairs = BothOrders::default();
        let mut single: Option<&Measured> = None;
        for run in &runs {
            single = match single {
                Some(before) if before.mapped != run.mapped => {
                    let (launched, mapped) = if run.mapped {
                        (before, *run)
                    } else {
                        (*run, before)
                    };
                    pairs.launched.push(launched.seconds);
                    pairs.mapped.push(mapped.seconds);
                    None
                }
                _ => Some(run),
            };
        }
        Self {
            pairs,
            last_is_mapped: runs.last().is_some_and(|run| run.mapped),
            all: BothOrders::of(runs.into_iter()),
        }
    }

    /// The number of pairs.
    pub(super) fn pairs(&self) -> usize {
        self.pairs.launched.len()
    }

    /// Why the map is dropped; `None` where it has not lost.
    pub(super) fn loss(&self) -> Option<String> {
        let BothOrders { launched, mapped } = &self.pairs;
        let ratio = Ratio::new(mapped, launched, CERTAINTY)?;
        let slowest_launched = launched.iter().copied().fold(0.0, f64::max);
        let fastest_mapped = mapped.iter().copied().fold(f64::INFINITY, f64::min);
        let by_far = self.pairs() >= CLEAR_PAIRS && fastest_mapped >= CLEAR_LOSS * slowest_launched;
        let certain = ratio.certainty >= CERTAINTY && ratio.low > 1.0;
        (by_far || certain).then(|| {
            format!(
                "the map took {:.2} times as long in communication, in {} pairs of runs ({:.2} to {:.2} with {:.1} % certainty)",
                ratio.value,
                self.pairs(),
                ratio.low,
                ratio.high,
                100.0 * ratio.certainty
            )
        })
    }

    /// Whether the map seems to be slower and is not known to be.
    pub(super) fn is_open(&self) -> bool {
        let runs = self.all.mapped.len();
        let latest = &self.all.mapped[runs.saturating_sub(*LATEST.end())..];
        let [launched, _] = self.all.medians();
        let (Some(launched), Some(mapped)) = (launched, median(latest)) else {
            return false;
        };
        runs >= *LATEST.start() && self.pairs() < PAIRS && mapped > SEEMS_SLOWER * launched
    }

    /// Whether the next run should take the order as launched.
    pub(super) fn wants_launched_order(&self) -> bool {
        self.is_open() && self.last_is_mapped
    }
}

/// Whether something at `when` is too long ago to count. Times are seconds since 1970.
pub(super) fn is_expired(when: u64, now: u64) -> bool {
    now.saturating_sub(when) > EXPIRY_DAYS * 24 * 3600
}

#[cfg(test)]
mod tests;
