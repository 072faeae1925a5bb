//! One remembered run: its map, what was predicted of it, and what was measured.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A host of an allocation, as the launcher calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Host {
    pub(crate) name: String,
    /// Ranks it may take, if that is known.
    pub(crate) slots: Option<u32>,
}

/// What was predicted when the map was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Predicted {
    /// Communication time of the order the launcher chose.
    pub(crate) default: f64,
    /// Of the map.
    pub(crate) mapped: f64,
    /// Of both.
    pub(crate) unit: String,
    /// Whether they are of the first part of a run only, which no time of a whole run can be
    /// compared with.
    #[serde(default)]
    pub(crate) part: bool,
}

/// What one run has measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Whether the ranks were where the map has them.
    pub(crate) mapped: bool,
    /// The arguments of the program, all of them: times are only compared where they are the same.
    pub(crate) arguments: Vec<String>,
    /// The hosts of the ranks, sorted: times are only compared on the same ones.
    pub(crate) hosts: Vec<String>,
    /// Seconds inside MPI, the mean over the ranks that took the time.
    pub(crate) seconds: f64,
    /// The longest of them had between `MPI_Init` and `MPI_Finalize`.
    pub(crate) run: f64,
    /// Ranks that took the time.
    pub(crate) ranks: usize,
    /// Seconds since 1970.
    pub(crate) when: u64,
}

/// What is remembered of a program with arguments of one shape, on so many ranks of one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) version: u32,
    pub(crate) name: String,
    /// The launch that was profiled, for people.
    pub(crate) launch: String,
    pub(crate) ranks: usize,
    /// Whether the map is still to be made of the profile: whoever was about to was interrupted.
    #[serde(default)]
    pub(crate) unsolved: bool,
    /// The source of the machine, for people.
    pub(crate) machine: String,
    /// What the map was solved for; `None` where nothing told before the launch which hosts there
    /// would be.
    pub(crate) allocation: Option<Vec<Host>>,
    /// The most ranks one host had in the order the launcher chose.
    pub(crate) a_host: u32,
    /// The host of every rank; `None` where the order the launcher chooses is as good.
    pub(crate) map: Option<Vec<String>>,
    /// The cores of every rank on its host, as the kernel writes lists; none where any will do.
    #[serde(default)]
    pub(crate) cores: Vec<String>,
    /// The places of those cores among the host's, depth first.
    #[serde(default)]
    pub(crate) places: Vec<Range<u32>>,
    /// Who made the map.
    pub(crate) heuristic: String,
    pub(crate) predicted: Predicted,
    /// Why the map is not used any more.
    pub(crate) dropped: Option<String>,
    pub(crate) measured: Vec<Measured>,
    /// When it was made and last used, in seconds since 1970.
    pub(crate) made: u64,
    pub(crate) used: u64,
}

/// Measurements of one kind that are kept.
const KEPT: usize = 16;

impl Predicted {
    /// How many times as fast the map is to be.
    pub(crate) fn gain(&self) -> f64 {
        if self.mapped > 0.0 {
            self.default / self.mapped
        } else {
            1.0
        }
    }
}

impl Entry {
    /// Adds what a run has measured.
    pub(crate) fn add(&mut self, measured: Measured) {
        self.measured.push(measured);
        let same = |one: &Measured| one.mapped;
        for kind in [true, false] {
            let mut surplus = self.measured.iter().filter(|one| same(one) == kind).count();
            self.measured.retain(|one| {
                let goes = same(one) == kind && surplus > KEPT;
                surplus -= usize::from(goes);
                !goes
            });
        }
    }

    /// The number of runs like `like`, with the map or without.
    pub(crate) fn runs(&self, like: &Measured, mapped: bool) -> usize {
        self.like(like, mapped).len()
    }

    /// Median seconds in MPI of runs like `like`, with the map or without.
    pub(crate) fn seconds(&self, like: &Measured, mapped: bool) -> Option<f64> {
        let mut seconds = self.like(like, mapped);
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied()
    }

    fn like(&self, like: &Measured, mapped: bool) -> Vec<f64> {
        let same = self.measured.iter().filter(|one| {
            one.mapped == mapped && one.arguments == like.arguments && one.hosts == like.hosts
        });
        same.map(|one| one.seconds).collect()
    }

    /// How many times as fast communication was measured to be with the map, for runs like `like`.
    pub(crate) fn gain(&self, like: &Measured) -> Option<f64> {
        let (default, mapped) = (self.seconds(like, false)?, self.seconds(like, true)?);
        (mapped > 0.0).then(|| default / mapped)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cache::VERSION;

    pub(in crate::cache) fn entry(name: &str) -> Entry {
        Entry {
            version: VERSION,
            name: name.into(),
            launch: "mpirun -n 2 ./a".into(),
            ranks: 2,
            unsolved: false,
            machine: "torus:2".into(),
            allocation: None,
            a_host: 1,
            map: Some(vec!["n1".into(), "n0".into()]),
            cores: Vec::new(),
            places: Vec::new(),
            heuristic: "gray".into(),
            predicted: Predicted {
                default: 4.0,
                mapped: 2.0,
                unit: "seconds".into(),
                part: false,
            },
            dropped: None,
            measured: Vec::new(),
            made: 5,
            used: 5,
        }
    }

    fn measured(mapped: bool, arguments: &str, seconds: f64) -> Measured {
        Measured {
            mapped,
            arguments: vec![arguments.into()],
            hosts: vec!["n0".into(), "n1".into()],
            seconds,
            run: 9.0,
            ranks: 2,
            when: 0,
        }
    }

    #[test]
    fn only_runs_with_the_same_arguments_are_compared() {
        let mut entry = entry("a");
        entry.add(measured(false, "100", 8.0));
        entry.add(measured(true, "900", 1.0));
        let like = measured(true, "100", 0.0);
        assert_eq!(entry.gain(&like), None);
        for seconds in [3.0, 4.0, 40.0] {
            entry.add(measured(true, "100", seconds));
        }
        assert_eq!(entry.gain(&like), Some(2.0), "the median counts");
        let elsewhere = Measured {
            hosts: vec!["n7".into()],
            ..like
        };
        assert_eq!(entry.gain(&elsewhere), None);
    }

    #[test]
    fn old_measurements_go_and_those_of_the_other_kind_stay() {
        let mut entry = entry("a");
        entry.add(measured(false, "1", 8.0));
        for number in 0..40 {
            entry.add(measured(true, "1", f64::from(number)));
        }
        assert_eq!(entry.measured.len(), KEPT + 1);
        assert_eq!(entry.measured[1].seconds, 24.0);
    }
}
