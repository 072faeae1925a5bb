//! `rankfold run --compare N`: runs the launch in the order as launched and with the map in
//! turn, and says which is faster, by how much, and how certain that is.

use super::comparison::{Comparison, RunTimes};
use super::context::RunContext;
use super::documents::{ComparisonDocument, RunDocument};
use super::judge::{drop_map, judged_run};
use super::launched_order;
use super::relaunch::Relaunch;
use super::trial::Trial;
use crate::signals;
use rankfold_cache::{Cache, Entry, Measured, Predicted, now};
use rankfold_console::{output, terminal};
use rankfold_launch::error::LaunchError;
use rankfold_mapper::document::{self, Document};
use rankfold_wire::Profile;
use std::path::Path;
use std::time::Duration;

/// The entry of the program whose map is compared.
pub(super) struct KnownMap<'a> {
    pub(super) context: &'a RunContext<'a>,
    pub(super) cache: &'a Cache,
    pub(super) entry: &'a Entry,
    pub(super) predicted: &'a Predicted,
}

/// A run that is compared.
struct Run {
    status: u8,
    times: RunTimes,
    profile: Option<Profile>,
}

impl Run {
    fn new(status: u8, elapsed: Duration, profile: Option<Profile>) -> Self {
        Self {
            status,
            times: RunTimes::new(elapsed, profile.as_ref()),
            profile,
        }
    }
}

/// Runs `pairs` pairs of runs, one in each order. Every other pair begins with the map, so that a
/// steady change of the machine favours neither order. The comparison ends with the first run that
/// fails, whose exit status is returned, and when a signal asks for the end. The comparison is
/// printed, written to the file `json`, and stored for `known`, whose map may be dropped by it or
/// taken back.
pub(super) fn compare(
    relaunch: &Relaunch,
    pairs: usize,
    json: Option<&Path>,
    known: Option<&KnownMap>,
) -> anyhow::Result<u8> {
    let mut comparison = Comparison::default();
    let mut measured = Vec::new();
    let mut status = 0;
    'pairs: for pair in 0..pairs {
        let map_first = pair % 2 == 1;
        for mapped in [map_first, !map_first] {
            terminal::result(format_args!(
                "run {} of {}: {}",
                comparison.runs() + 1,
                2 * pairs,
                if mapped {
                    "with the map"
                } else {
                    "in the order as launched"
                }
            ));
            let run = if mapped {
                with_map(relaunch)?
            } else {
                in_launched_order(relaunch)?
            };
            status = run.status;
            if status != 0 || signals::asked_for_the_end() {
                terminal::warning(format_args!(
                    "the comparison ends with this run (status {status}): it does not count"
                ));
                break 'pairs;
            }
            comparison.add(mapped, run.times);
            measured.extend(known.and_then(|known| known.measured(run.profile.as_ref(), mapped)));
            // Between two runs there is nothing to collect: a signal may end this process.
            signals::let_end();
        }
    }
    comparison.table().iter().for_each(terminal::note);
    comparison.verdicts().iter().for_each(terminal::result);
    if let Some(json) = json {
        write(&comparison, json)?;
    }
    if let Some(known) = known {
        known.store(measured);
    }
    Ok(status)
}

fn in_launched_order(relaunch: &Relaunch) -> anyhow::Result<Run> {
    let run = launched_order::measured_run(relaunch.launch)?;
    Ok(Run::new(run.status, run.elapsed, run.profile))
}

fn with_map(relaunch: &Relaunch) -> anyhow::Result<Run> {
    let placed = relaunch.measured()?;
    // A run elsewhere than planned is no run with the map.
    Ok(Run::new(
        placed.status(true),
        placed.elapsed,
        placed.profile,
    ))
}

/// Writes the comparison as JSON. A file with the figures of the search, made by this command
/// before, keeps these.
fn write(comparison: &Comparison, path: &Path) -> anyhow::Result<()> {
    let comparison = comparison.figures();
    let text = match figures_of_search(path) {
        Some(mut figures) => {
            figures["comparison"] = serde_json::to_value(comparison)?;
            [serde_json::to_vec_pretty(&figures)?, b"\n".into()].concat()
        }
        None => document::text(&ComparisonDocument { comparison })?,
    };
    Ok(output::write(path, &text)?)
}

/// The JSON of a [`RunDocument`] in a file.
fn figures_of_search(path: &Path) -> Option<serde_json::Value> {
    let figures: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let format = document::format_name(RunDocument::NAME);
    (figures["format"]["name"] == format).then_some(figures)
}

impl KnownMap<'_> {
    fn measured(&self, profile: Option<&Profile>, mapped: bool) -> Option<Measured> {
        judged_run(self.context, self.entry, self.predicted, profile?, mapped)
    }

    /// Stores the runs. A map that has lost by them is dropped; one that was dropped before and has
    /// not lost is used again.
    fn store(&self, measured: Vec<Measured>) {
        let Some(like) = measured.last().map(|run| run.circumstances.clone()) else {
            return;
        };
        let new = Trial::new(measured.iter(), now());
        let stored = self.cache.change(&self.entry.name, |entry| {
            measured.into_iter().for_each(|run| entry.add(run));
            if new.pairs() > 0 && new.loss().is_none() && !new.is_open() {
                entry.take_map_back();
            }
        });
        match stored {
            Ok(Some(stored)) => {
                let trial = Trial::new(stored.comparable(&like), now());
                if let Some(reason) = trial.loss() {
                    drop_map(self.cache, self.entry, reason);
                }
            }
            Ok(None) => {}
            Err(error) => terminal::warning(format_args!(
                "what these runs took is not remembered: {error}"
            )),
        }
    }
}

/// The error where there is no map to compare.
pub(super) fn nothing_to_compare() -> LaunchError {
    LaunchError::Option {
        option: "--compare".into(),
        problem: "there is no map, as no other order is predicted to be faster by a hundredth; --map FILE compares yours".into(),
    }
}
