//! The times that runs have measured, and which of them compare with each other.

use super::host::Host;
use super::predicted::ModelTime;
use crate::statistics::median;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must be the same for the times of two runs to be compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Circumstances {
    /// All words of the program's command line.
    pub arguments: Vec<String>,
    /// The names of all hosts of the job, sorted; `None` where nothing names them before the
    /// launch, and in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocation: Option<Vec<String>>,
    /// The hosts of the ranks, sorted.
    pub hosts: Vec<String>,
}

impl Circumstances {
    /// The circumstances of a run with these arguments, on `hosts` of the job's `allocation`.
    pub fn new(
        arguments: Vec<String>,
        allocation: Option<&[Host]>,
        mut hosts: Vec<String>,
    ) -> Self {
        let sorted = |names: &mut Vec<String>| {
            names.sort_unstable();
            names.dedup();
        };
        sorted(&mut hosts);
        let allocation = allocation.map(|hosts| {
            let mut names: Vec<String> = hosts.iter().map(|host| host.name.clone()).collect();
            sorted(&mut names);
            names
        });
        Self {
            arguments,
            allocation,
            hosts,
        }
    }

    /// Whether times of two runs compare: the arguments and the hosts of the job are the same. A
    /// map may leave out other hosts of the job than the launcher does, so the hosts of the ranks
    /// decide only where those of the job are not known.
    pub fn compare_with(&self, other: &Self) -> bool {
        let on_same_hosts = match (&self.allocation, &other.allocation) {
            (Some(one), Some(other)) => one == other,
            _ => self.hosts == other.hosts,
        };
        self.arguments == other.arguments && on_same_hosts
    }
}

/// The times that one run has measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// Whether the ranks were placed by the map.
    pub mapped: bool,
    /// Whether it was the first run, whose pages and caches were cold. It counts as long as no
    /// other run in its order is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// What ran where.
    #[serde(flatten)]
    pub circumstances: Circumstances,
    /// Seconds inside MPI, the mean of the ranks that measured the time.
    pub seconds: f64,
    /// Seconds from `MPI_Init` to `MPI_Finalize`, the maximum of the ranks that measured the time.
    pub run: f64,
    /// The most seconds inside MPI that messages between ranks can account for; `None` in entries
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movable: Option<f64>,
    /// What the model says of this run in its order; `None` where it was made for other arguments
    /// or for a part of a run, and in entries of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelTime>,
    /// The number of ranks that measured the time.
    pub ranks: usize,
    /// Seconds since 1970.
    pub when: u64,
}

/// The runs that count among `runs`: all but a first one beside a later one in its order.
pub fn counted<'a>(runs: &[&'a Measured]) -> Vec<&'a Measured> {
    let is_warm = |mapped| move |run: &&Measured| run.mapped == mapped && !run.first;
    let warm = [false, true].map(|mapped| runs.iter().any(|run| is_warm(mapped)(run)));
    let counts = move |run: &&Measured| !run.first || !warm[usize::from(run.mapped)];
    runs.iter().copied().filter(counts).collect()
}

/// The seconds inside MPI of comparable runs, the oldest run first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BothOrders {
    /// In the order as launched.
    pub launched: Vec<f64>,
    /// With the map.
    pub mapped: Vec<f64>,
}

impl BothOrders {
    /// The seconds of these runs.
    pub fn of<'a>(runs: impl Iterator<Item = &'a Measured>) -> Self {
        let mut both = Self::default();
        for run in runs {
            let order = if run.mapped {
                &mut both.mapped
            } else {
                &mut both.launched
            };
            order.push(run.seconds);
        }
        both
    }

    /// The medians in the order as launched and with the map; `None` without a run.
    pub fn medians(&self) -> [Option<f64>; 2] {
        [median(&self.launched), median(&self.mapped)]
    }

    /// The median in the order as launched over that with the map; `None` unless both orders
    /// were measured.
    pub fn gain(&self) -> Option<f64> {
        match self.medians() {
            [Some(launched), Some(mapped)] if mapped > 0.0 => Some(launched / mapped),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::measured;

    #[test]
    fn a_map_may_use_other_hosts_of_the_same_job() {
        let host = |name: &str| Host {
            name: name.into(),
            slots: None,
        };
        let job = ["b", "a", "c"].map(host);
        let on = |allocation, hosts: [&str; 2]| {
            Circumstances::new(vec!["x".into()], allocation, hosts.map(String::from).into())
        };
        let launched = on(Some(&job[..]), ["b", "a"]);
        assert_eq!(launched.hosts, ["a", "b"]);
        assert!(launched.compare_with(&on(Some(&job[..]), ["c", "a"])));
        assert!(!launched.compare_with(&on(Some(&job[..2]), ["b", "a"])));
        assert!(
            launched.compare_with(&on(None, ["a", "b"])),
            "of an older version"
        );
        assert!(!launched.compare_with(&on(None, ["a", "c"])));
        let other = Circumstances {
            arguments: vec!["y".into()],
            ..launched.clone()
        };
        assert!(!launched.compare_with(&other));
    }

    #[test]
    fn runs_of_older_versions_are_read() {
        let old = r#"{"mapped": true, "arguments": ["x", "1"], "hosts": ["a"], "seconds": 2.0, "run": 3.0, "ranks": 4, "when": 5}"#;
        let run: Measured = serde_json::from_str(old).unwrap();
        assert_eq!(run.circumstances.arguments, ["x", "1"]);
        assert_eq!((run.movable, &run.model), (None, &None));
        let written = serde_json::to_value(&run).unwrap();
        let old: serde_json::Value = serde_json::from_str(old).unwrap();
        assert_eq!(written, old);
    }

    #[test]
    fn the_first_run_counts_until_a_later_one_in_its_order_is_known() {
        let first = Measured {
            first: true,
            ..measured(false, "x", 9.0)
        };
        let (mapped, launched) = (measured(true, "x", 3.0), measured(false, "x", 4.0));
        let seconds = |runs: &[&Measured]| {
            counted(runs)
                .iter()
                .map(|run| run.seconds)
                .collect::<Vec<_>>()
        };
        assert_eq!(seconds(&[&first, &mapped]), [9.0, 3.0]);
        assert_eq!(seconds(&[&first, &mapped, &launched]), [3.0, 4.0]);
    }

    #[test]
    fn the_gain_is_that_of_the_medians() {
        let runs = [
            measured(false, "x", 8.0),
            measured(true, "x", 3.0),
            measured(true, "x", 40.0),
            measured(true, "x", 4.0),
        ];
        let both = BothOrders::of(runs.iter());
        assert_eq!(both.medians(), [Some(8.0), Some(4.0)]);
        assert_eq!(both.gain(), Some(2.0));
        assert_eq!(BothOrders::of(runs[1..].iter()).gain(), None);
    }
}
