//! The file of an entry, `entry.json`.
//!
//! Older versions of rankfold with the same layout of the cache read the files of newer ones and
//! the other way round, so keys are added and neither renamed nor removed. The [`State`] of an
//! entry is spread over several keys:
//!
//! | state | `unsolved` | `map` | `dropped` |
//! | --- | --- | --- | --- |
//! | profiled | true | null | null |
//! | the launcher's order | false | null | null |
//! | mapped | false | hosts | null |
//! | dropped | false | hosts | reason |
//!
//! A file with another combination is refused.

use super::VERSION;
use super::entry::{Entry, RankMap, Solution, State};
use super::host::Host;
use super::key::Key;
use super::measured::Measured;
use super::predicted::Predicted;
use rankfold_launch::placement::RankCores;
use rankfold_mapper::document::Document;
use rankfold_wire::Cores;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::ops::Range;

/// The keys of `entry.json`.
#[derive(Serialize, Deserialize, JsonSchema)]
struct StoredEntry {
    /// Version of the layout of the cache, not of this document.
    version: u32,
    /// Name of the entry, as `rankfold cache list` tells it.
    name: String,
    /// All that a run has in common with others that use this entry.
    #[schemars(with = "Key")]
    key: serde_json::Value,
    /// The launch that was profiled, as text for people.
    launch: String,
    /// Number of ranks.
    ranks: usize,
    /// Whether the program is profiled and its map is still to be made.
    unsolved: bool,
    /// Where the description of the machine comes from, in words.
    machine: String,
    /// Digest of the description of the machine; empty where no source knew the network.
    machine_digest: String,
    /// The hosts of the job that the map was made for; null where nothing names them before the
    /// launch.
    allocation: Option<Vec<Host>>,
    /// The most ranks that the launcher put on one host by itself.
    a_host: u32,
    /// The host of every rank; null without a map.
    map: Option<Vec<String>>,
    /// The cores of every rank, in the kernel's notation for lists; empty where every core of a
    /// host is as good.
    #[serde(default)]
    cores: Vec<String>,
    /// The places of every rank's cores among all cores of its host in depth-first order, as hwloc
    /// counts; empty where every core of a host is as good.
    #[schemars(schema_with = "ranges")]
    #[serde(default)]
    places: Vec<Range<u32>>,
    /// The heuristic and the refinements that made the map, joined by `+`.
    heuristic: String,
    /// The predicted communication times.
    predicted: Predicted,
    /// Why the map is not used; null where it is, and without a map.
    dropped: Option<String>,
    /// When the map was dropped, in seconds since 1970; entries of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dropped_at: Option<u64>,
    /// What runs of the program have measured, the oldest first.
    measured: Vec<Measured>,
    /// When the entry was made, in seconds since 1970.
    made: u64,
    /// When the entry was last used, in seconds since 1970.
    used: u64,
}

/// The schema of a list of ranges.
fn ranges(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "start": {"description": "The first place.", "type": "integer", "minimum": 0},
                "end": {"description": "One past the last place.", "type": "integer", "minimum": 0}
            },
            "required": ["start", "end"]
        }
    })
}

impl JsonSchema for Entry {
    fn schema_name() -> Cow<'static, str> {
        StoredEntry::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        StoredEntry::json_schema(generator)
    }
}

impl Document for Entry {
    const NAME: &'static str = "cache-entry";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "cache show: what is stored about one program";
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StoredEntry::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(StoredEntry::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl From<Entry> for StoredEntry {
    fn from(entry: Entry) -> Self {
        let unsolved = matches!(entry.state, State::Profiled { .. });
        let solution = entry.state.solution().cloned().unwrap_or(Solution {
            machine: String::new(),
            machine_digest: String::new(),
            heuristic: String::new(),
            predicted: Predicted {
                part: entry.state.is_of_part(),
                ..Predicted::default()
            },
        });
        let map = entry.state.map().cloned();
        let cores = map.as_ref().map(|map| map.cores.clone());
        let cores = cores.unwrap_or_default();
        let (dropped, dropped_at) = match entry.state {
            State::Dropped { reason, when, .. } => (Some(reason), Some(when)),
            _ => (None, None),
        };
        Self {
            version: VERSION,
            name: entry.name,
            key: entry.key,
            launch: entry.launch,
            ranks: entry.ranks,
            unsolved,
            machine: solution.machine,
            machine_digest: solution.machine_digest,
            allocation: entry.allocation,
            a_host: entry.fullest,
            map: map.map(|map| map.hosts),
            cores: cores.numbers.iter().map(Cores::to_string).collect(),
            places: cores.places,
            heuristic: solution.heuristic,
            predicted: solution.predicted,
            dropped,
            dropped_at,
            measured: entry.measured,
            made: entry.made,
            used: entry.used,
        }
    }
}

impl TryFrom<StoredEntry> for Entry {
    type Error = String;

    fn try_from(stored: StoredEntry) -> Result<Self, String> {
        let ranks = stored.ranks;
        let map = stored.map.map(|hosts| {
            let cores = cores(&stored.cores, stored.places);
            RankMap { hosts, cores }
        });
        if let Some(map) = map.as_ref().filter(|map| map.hosts.len() != ranks) {
            let placed = map.hosts.len();
            return Err(format!(
                "the map has {placed} ranks and the run has {ranks}"
            ));
        }
        let part = stored.predicted.part;
        let solution = Solution {
            machine: stored.machine,
            machine_digest: stored.machine_digest,
            heuristic: stored.heuristic,
            predicted: stored.predicted,
        };
        let state = match (stored.unsolved, map, stored.dropped) {
            (true, None, None) => State::Profiled { part },
            (false, None, None) => State::Launched(solution),
            (false, Some(map), None) => State::Mapped(solution, map),
            (false, Some(map), Some(reason)) => State::Dropped {
                solution,
                map,
                reason,
                // Older versions changed a dropped entry no more, so its last use was the drop.
                when: stored.dropped_at.unwrap_or(stored.used),
            },
            (true, ..) => return Err("it is unsolved and has a map".into()),
            (false, None, Some(_)) => return Err("a map was dropped, and none is there".into()),
        };
        Ok(Self {
            name: stored.name,
            key: stored.key,
            launch: stored.launch,
            ranks,
            allocation: stored.allocation,
            fullest: stored.a_host,
            state,
            measured: stored.measured,
            made: stored.made,
            used: stored.used,
        })
    }
}

/// The cores of the ranks. A list that cannot be read stands for unknown cores.
fn cores(lists: &[String], places: Vec<Range<u32>>) -> RankCores {
    let read = |text: &String| text.parse().unwrap_or_default();
    RankCores {
        numbers: lists.iter().map(read).collect(),
        places,
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::{entry, map, solution};
    use super::*;
    use serde_json::{Value, json};

    /// An entry as the first version of this layout has written it.
    fn old() -> Value {
        json!({
            "version": 2,
            "name": "ring-ba41d8a0",
            "key": null,
            "launch": "mpirun -n 2 ring 5",
            "ranks": 2,
            "unsolved": false,
            "machine": "torus:2",
            "machine_digest": "1f2e3d4c",
            "allocation": null,
            "a_host": 1,
            "map": ["n1", "n0"],
            "cores": ["0-1", "2,4"],
            "places": [{"start": 0, "end": 2}, {"start": 2, "end": 4}],
            "heuristic": "gray",
            "predicted": {"default": 4.0, "mapped": 2.0, "unit": "seconds", "part": false},
            "dropped": null,
            "measured": [],
            "made": 5,
            "used": 6,
        })
    }

    fn with(changes: &Value) -> Result<Entry, String> {
        let mut stored = old();
        for (key, value) in changes.as_object().unwrap() {
            stored[key] = value.clone();
        }
        serde_json::from_value(stored).map_err(|error| error.to_string())
    }

    #[test]
    fn entries_of_older_versions_are_read_and_written_back_as_they_were() {
        let entry = with(&json!({})).unwrap();
        let cores = entry.state.map().unwrap().cores.clone();
        assert_eq!(cores.numbers[1].numbers(), [2, 4]);
        assert_eq!(serde_json::to_value(entry).unwrap(), old());
    }

    #[test]
    fn every_state_is_stored_and_read_back() {
        let reason = "the map took 2.00 times as long in communication".to_owned();
        for state in [
            State::Profiled { part: true },
            State::Profiled { part: false },
            State::Launched(solution()),
            State::Mapped(solution(), map()),
            State::Dropped {
                solution: solution(),
                map: map(),
                reason,
                when: 9,
            },
        ] {
            let entry = Entry {
                state,
                ..entry("a")
            };
            let text = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
        }
    }

    #[test]
    fn each_combination_of_the_stored_flags_is_one_state_or_refused() {
        let state = |unsolved: bool, map: Value, dropped: Value| {
            let entry = with(&json!({"unsolved": unsolved, "map": map, "dropped": dropped}));
            entry.map(|entry| entry.state)
        };
        let (hosts, none, reason) = (json!(["n1", "n0"]), Value::Null, json!("it lost"));
        let profiled = state(true, none.clone(), none.clone()).unwrap();
        assert_eq!(profiled, State::Profiled { part: false });
        let order = state(false, none.clone(), none.clone()).unwrap();
        assert_eq!(order, State::Launched(solution()));
        let mapped = state(false, hosts.clone(), none.clone()).unwrap();
        assert!(matches!(mapped, State::Mapped(..)));
        let dropped = state(false, hosts.clone(), reason.clone()).unwrap();
        assert!(
            matches!(dropped, State::Dropped { when: 6, .. }),
            "its last use"
        );
        for (unsolved, map, dropped) in [
            (false, &none, &reason),
            (true, &none, &reason),
            (true, &hosts, &none),
            (true, &hosts, &reason),
        ] {
            assert!(state(unsolved, map.clone(), dropped.clone()).is_err());
        }
        let short = state(false, json!(["n1"]), none).unwrap_err();
        assert!(short.contains("1 ranks and the run has 2"), "{short}");
    }
}
