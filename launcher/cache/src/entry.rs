//! One remembered run: how far its map is, what was predicted of it, and what was measured.

use super::host::Host;
use super::key::Key;
use super::measured::{BothOrders, Circumstances, Measured, counted};
use super::predicted::Predicted;
use rankfold_launch::placement::RankCores;

/// Everything that is remembered under one [`Key`].
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of the entry's directory.
    pub name: String,
    /// The [`Key`] as JSON.
    pub key: serde_json::Value,
    /// The launch that was profiled, as text for people.
    pub launch: String,
    /// The number of ranks.
    pub ranks: usize,
    /// The hosts of the job that the map was made for; `None` where nothing names the hosts before
    /// the launch.
    pub allocation: Option<Vec<Host>>,
    /// The most ranks that the launcher put on one host by itself.
    pub fullest: u32,
    /// How far the map is.
    pub state: State,
    /// The runs that were measured, the oldest first.
    pub measured: Vec<Measured>,
    /// When the entry was made, in seconds since 1970.
    pub made: u64,
    /// When the entry was last used, in seconds since 1970.
    pub used: u64,
}

/// How far the map of an entry is.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// The profile is kept, but its map was not made: the run that was to make it was interrupted.
    Profiled {
        /// Whether the profile is of the first part of a run only.
        part: bool,
    },
    /// No map is predicted to be better than the order as launched, which is used.
    Launched(Solution),
    /// The map is used.
    Mapped(Solution, RankMap),
    /// The map was used and is not used for a time. The order as launched is used.
    Dropped {
        /// How the map was found.
        solution: Solution,
        /// The map.
        map: RankMap,
        /// Why it is not used.
        reason: String,
        /// When the map was dropped, in seconds since 1970.
        when: u64,
    },
}

/// How a map was found, and its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The source of the machine description, as text for people.
    pub machine: String,
    /// The digest of the machine description; empty where no source knew the network. A map holds
    /// as long as the machine of the job has the same digest.
    pub machine_digest: String,
    /// The heuristic and the refinements that made the map.
    pub heuristic: String,
    /// What is predicted of it.
    pub predicted: Predicted,
}

/// Where the ranks go.
#[derive(Clone, Debug, PartialEq)]
pub struct RankMap {
    /// The host of every rank.
    pub hosts: Vec<String>,
    /// The cores of every rank on its host; empty where every core of a host is as good.
    pub cores: RankCores,
}

/// The number of measured runs that an entry keeps with the map, and as many without. Chosen by
/// hand; not measured.
const KEPT: usize = 16;

impl State {
    /// The map, whether it is used or was dropped.
    pub fn map(&self) -> Option<&RankMap> {
        match self {
            Self::Mapped(_, map) | Self::Dropped { map, .. } => Some(map),
            Self::Profiled { .. } | Self::Launched(_) => None,
        }
    }

    /// How the map was found; `None` before that.
    pub fn solution(&self) -> Option<&Solution> {
        match self {
            Self::Profiled { .. } => None,
            Self::Launched(solution)
            | Self::Mapped(solution, _)
            | Self::Dropped { solution, .. } => Some(solution),
        }
    }

    /// Keeps what was promised of the map that this one takes the place of.
    pub fn keep_promise(&mut self, before: &Self) {
        let kept = before.solution().map(|before| &before.predicted.promised);
        if let (
            Some(kept @ Some(_)),
            Self::Launched(now) | Self::Mapped(now, _) | Self::Dropped { solution: now, .. },
        ) = (kept, self)
        {
            now.predicted.promised.clone_from(kept);
        }
    }

    /// Whether the profile is of the first part of a run only.
    pub fn is_of_part(&self) -> bool {
        match self {
            Self::Profiled { part } => *part,
            state => state.solution().is_some_and(|found| found.predicted.part),
        }
    }
}

impl Entry {
    /// Whether the entry is of runs with this key.
    pub(super) fn is_of(&self, key: &Key) -> bool {
        self.key == key.json()
    }

    /// Stops the use of the map, for a reason, at a time in seconds since 1970. Nothing changes
    /// where no map is used.
    pub fn drop_map(&mut self, why: String, when: u64) {
        if let State::Mapped(solution, map) = &self.state {
            self.state = State::Dropped {
                solution: solution.clone(),
                map: map.clone(),
                reason: why,
                when,
            };
        }
    }

    /// Uses the map again that was dropped. Nothing changes where none was.
    pub fn take_map_back(&mut self) {
        if let State::Dropped { solution, map, .. } = &self.state {
            self.state = State::Mapped(solution.clone(), map.clone());
        }
    }

    /// Adds what a run has measured. The oldest measurements go beyond `KEPT`.
    pub fn add(&mut self, measured: Measured) {
        self.measured.push(measured);
        for mapped in [true, false] {
            let of_kind = self.measured.iter().filter(|run| run.mapped == mapped);
            let mut surplus = of_kind.count().saturating_sub(KEPT);
            self.measured.retain(|run| {
                let goes = run.mapped == mapped && surplus > 0;
                surplus -= usize::from(goes);
                !goes
            });
        }
    }

    /// The measured runs that compare with runs in these circumstances and count, the oldest first.
    pub fn comparable(&self, like: &Circumstances) -> impl Iterator<Item = &Measured> {
        let runs = self.measured.iter();
        let alike: Vec<&Measured> = runs
            .filter(|run| run.circumstances.compare_with(like))
            .collect();
        counted(&alike).into_iter()
    }

    /// The seconds inside MPI of the runs that compare with runs in these circumstances.
    pub fn both_orders(&self, like: &Circumstances) -> BothOrders {
        BothOrders::of(self.comparable(like))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::samples::measured;

    pub(crate) fn solution() -> Solution {
        Solution {
            machine: "torus:2".into(),
            machine_digest: "1f2e3d4c".into(),
            heuristic: "gray".into(),
            predicted: Predicted {
                launched: 4.0,
                mapped: 2.0,
                unit: "seconds".into(),
                ..Predicted::default()
            },
        }
    }

    pub(crate) fn map() -> RankMap {
        RankMap {
            hosts: vec!["n1".into(), "n0".into()],
            cores: RankCores::default(),
        }
    }

    pub(crate) fn entry(name: &str) -> Entry {
        Entry {
            name: name.into(),
            key: serde_json::Value::Null,
            launch: "mpirun -n 2 ./a".into(),
            ranks: 2,
            allocation: None,
            fullest: 1,
            state: State::Mapped(solution(), map()),
            measured: Vec::new(),
            made: 5,
            used: 5,
        }
    }

    #[test]
    fn only_runs_with_the_same_arguments_are_compared() {
        let mut entry = entry("a");
        entry.add(measured(false, "100", 8.0));
        entry.add(measured(true, "900", 1.0));
        let like = measured(true, "100", 0.0).circumstances;
        assert_eq!(entry.both_orders(&like).gain(), None);
        entry.add(measured(true, "100", 4.0));
        assert_eq!(entry.both_orders(&like).gain(), Some(2.0));
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

    #[test]
    fn only_a_map_that_is_used_can_be_dropped() {
        let mut entry = entry("a");
        entry.drop_map("it lost".into(), 7);
        let dropped = State::Dropped {
            solution: solution(),
            map: map(),
            reason: "it lost".into(),
            when: 7,
        };
        assert_eq!(entry.state, dropped);
        for state in [
            State::Profiled { part: false },
            State::Launched(solution()),
            dropped,
        ] {
            entry.state = state.clone();
            entry.drop_map("again".into(), 8);
            assert_eq!(entry.state, state);
        }
        entry.take_map_back();
        assert_eq!(entry.state, State::Mapped(solution(), map()));
    }
}
