//! Decisions on series of simulated runs.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_cache::samples;

/// A program whose runs with the map take `loss` times as long, with noise on every run.
struct Simulated {
    loss: f64,
    /// Standard deviation of the logarithms of the times.
    noise: f64,
    /// The share of runs during which other jobs double the time.
    busy: f64,
    random: Xoshiro256PlusPlus,
}

/// What became of a map.
#[derive(Debug, PartialEq)]
struct Course {
    /// The number of pairs after which the map was dropped.
    dropped: Option<usize>,
    /// The number of runs in the order as launched, without the first.
    launched: usize,
}

impl Simulated {
    fn new(loss: f64, noise: f64, busy: f64, seed: u64) -> Self {
        Self {
            loss,
            noise,
            busy,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn seconds(&mut self, mapped: bool) -> f64 {
        // The sum of twelve uniform numbers is close to normal, with a variance of 1.
        let normal: f64 = (0..12).map(|_| self.random.random::<f64>()).sum::<f64>() - 6.0;
        let others = if self.random.random::<f64>() < self.busy {
            2.0
        } else {
            1.0
        };
        let loss = if mapped { self.loss } else { 1.0 };
        loss * others * (self.noise * normal).exp()
    }

    /// The first run in the order as launched, then `runs` runs as the trial decides.
    fn course(&mut self, runs: usize) -> Course {
        let mut measured = vec![samples::measured(false, "x", self.seconds(false))];
        let mut launched = 0;
        for _ in 0..runs {
            let trial = Trial::new(measured.iter(), 0);
            let mapped = !trial.wants_launched_order();
            launched += usize::from(!mapped);
            measured.push(samples::measured(mapped, "x", self.seconds(mapped)));
            let trial = Trial::new(measured.iter(), 0);
            if trial.loss().is_some() {
                return Course {
                    dropped: Some(trial.pairs()),
                    launched,
                };
            }
        }
        Course {
            dropped: None,
            launched,
        }
    }
}

#[test]
fn noise_alone_never_drops_a_map() {
    for (noise, busy) in [(0.01, 0.0), (0.05, 0.0), (0.1, 0.1), (0.02, 0.3)] {
        for seed in 0..500 {
            let course = Simulated::new(1.0, noise, busy, seed).course(40);
            assert_eq!(
                course.dropped, None,
                "noise {noise}, busy {busy}, seed {seed}"
            );
            assert!(course.launched <= PAIRS, "{course:?}");
        }
    }
}

#[test]
fn a_map_that_takes_more_than_twice_as_long_is_dropped_after_four_pairs() {
    for seed in 0..100 {
        let course = Simulated::new(2.5, 0.03, 0.0, seed).course(40);
        assert_eq!(course.dropped, Some(CLEAR_PAIRS), "seed {seed}");
        assert_eq!(
            course.launched,
            CLEAR_PAIRS - 1,
            "the first run was the other"
        );
    }
}

#[test]
fn a_map_that_takes_a_fifth_longer_is_dropped_after_seven_pairs() {
    for seed in 0..100 {
        let course = Simulated::new(1.2, 0.03, 0.0, seed).course(40);
        assert_eq!(course.dropped, Some(PAIRS), "seed {seed}");
    }
}

#[test]
fn a_map_that_gains_never_waits_for_the_launchers_launched_order() {
    for seed in 0..100 {
        let course = Simulated::new(0.7, 0.05, 0.0, seed).course(40);
        let wanted = Course {
            dropped: None,
            launched: 0,
        };
        assert_eq!(course, wanted, "seed {seed}");
    }
}

#[test]
fn a_map_that_seems_slower_takes_turns_with_the_launchers_launched_order() {
    let run = |mapped, seconds| samples::measured(mapped, "x", seconds);
    let mut runs = vec![run(false, 1.0), run(true, 1.1)];
    let mut turns = Vec::new();
    for _ in 0..5 {
        let launched = Trial::new(runs.iter(), 0).wants_launched_order();
        turns.push(launched);
        runs.push(run(!launched, if launched { 1.0 } else { 1.1 }));
    }
    assert_eq!(turns, [false, true, false, true, false]);
}

#[test]
fn only_runs_that_follow_each_other_make_pairs() {
    let run = |mapped, seconds| samples::measured(mapped, "x", seconds);
    let runs = [
        run(false, 1.0),
        run(true, 2.0),
        run(true, 3.0),
        run(true, 4.0),
        run(false, 5.0),
        run(false, 6.0),
        run(true, 7.0),
    ];
    let pairs = Trial::new(runs.iter(), 0).pairs;
    assert_eq!(pairs.launched, [1.0, 5.0, 6.0]);
    assert_eq!(pairs.mapped, [2.0, 4.0, 7.0]);
}

#[test]
fn old_measurements_do_not_count() {
    let runs = [false, true, false, true, false, true, false, true]
        .map(|mapped| samples::measured(mapped, "x", if mapped { 9.0 } else { 1.0 }));
    let day = 24 * 3600;
    assert!(Trial::new(runs.iter(), EXPIRY_DAYS * day).loss().is_some());
    let later = Trial::new(runs.iter(), EXPIRY_DAYS * day + 1);
    assert_eq!((later.loss(), later.is_open()), (None, false));
}
