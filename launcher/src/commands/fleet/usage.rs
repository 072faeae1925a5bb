//! What the runs of one program of one user took, and what a map saves of it.

use super::files::{Found, Opened};
use crate::commands::run::{inside_seconds, is_enough, run_seconds};
use rankfold_cache::statistics::median;
use rankfold_cache::{BothOrders, Entry, Measured, Promise, State, counted};
use rankfold_launch::launch::script;
use rankfold_wire::Profile;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

const SECONDS_AN_HOUR: f64 = 3600.0;

/// What a saving rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::commands) enum Basis {
    /// Runs in both orders.
    Measured,
    /// The prediction for whole runs.
    Promised,
    /// The prediction as an upper bound, because nobody told the speed of links.
    AtMost,
    /// Nothing: no map was made, or no run was measured.
    #[default]
    Unknown,
}

impl Basis {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Promised => "promised",
            Self::AtMost => "at most",
            Self::Unknown => "not known",
        }
    }
}

/// The runs of one program of one user.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(in crate::commands) struct Usage {
    /// The login name of the owner of the files.
    pub(super) user: String,
    /// The name of the program, without its directory.
    pub(super) program: String,
    /// Number of runs that were found.
    pub(super) runs: usize,
    /// Most ranks of a run.
    pub(super) ranks: usize,
    /// Most hosts of a run.
    pub(super) hosts: usize,
    /// Hours from `MPI_Init` to `MPI_Finalize` times hosts, of the runs that measured them.
    pub(super) node_hours: f64,
    /// Of the node-hours, those spent inside MPI.
    pub(super) inside_mpi: f64,
    /// Of the node-hours, those in the order as launched.
    pub(super) unmapped: f64,
    /// The share that a map saves of a run in the order as launched; null where it is not known.
    pub(super) saving: Option<f64>,
    /// What the saving rests on.
    pub(super) basis: Basis,
    /// Node-hours that the map saves if all runs that were found are run again.
    pub(super) to_gain: f64,
    /// Node-hours that maps have saved already.
    pub(super) gained: f64,
    /// The profile with the most node-hours, by which the program is judged.
    #[serde(skip)]
    pub(super) largest: Option<(f64, Found)>,
}

impl Usage {
    /// The runs that an entry of a cache remembers.
    pub(super) fn of_entry(entry: &Entry) -> Self {
        let mut usage = Self {
            program: program_of(entry),
            ranks: entry.ranks,
            ..Self::default()
        };
        for run in &entry.measured {
            let hosts = run.circumstances.hosts.len();
            usage.add(hosts, run.run, run.seconds, run.mapped);
        }
        let runs: Vec<&Measured> = entry.measured.iter().collect();
        let runs = counted(&runs);
        (usage.saving, usage.basis) = match &entry.state {
            State::Profiled { .. } => (None, Basis::Unknown),
            State::Launched(_) | State::Dropped { .. } => (Some(0.0), Basis::Promised),
            State::Mapped(solution, _) => {
                measured_saving(&runs).unwrap_or_else(|| promised(&solution.predicted.promise()))
            }
        };
        usage
    }

    /// The run of a profile.
    pub(super) fn of_profile(profile: &Profile, found: &Found) -> Self {
        let manifest = &profile.manifest;
        let hosts: BTreeSet<&String> = manifest.hosts.iter().collect();
        let mut usage = Self {
            program: base_name(&manifest.program),
            ranks: manifest.hosts.len(),
            ..Self::default()
        };
        let inside = inside_seconds(profile).unwrap_or_default();
        usage.add(hosts.len(), run_seconds(profile), inside, false);
        usage.largest = Some((usage.node_hours, found.clone()));
        usage
    }

    fn add(&mut self, hosts: usize, run: f64, inside: f64, mapped: bool) {
        let sound = |seconds: f64| {
            if seconds.is_finite() {
                seconds.max(0.0)
            } else {
                0.0
            }
        };
        let hours = |seconds| sound(seconds) * hosts as f64 / SECONDS_AN_HOUR;
        self.runs += 1;
        self.hosts = self.hosts.max(hosts);
        self.node_hours += hours(run);
        self.inside_mpi += hours(inside.min(run));
        self.unmapped += if mapped { 0.0 } else { hours(run) };
    }

    /// The same program's runs together. What is known of the most node-hours counts.
    pub(super) fn joined(self, other: Self) -> Self {
        let knows = |usage: &Self| (usage.saving.is_some(), usage.node_hours);
        let better = if knows(&other) > knows(&self) {
            &other
        } else {
            &self
        };
        let (saving, basis) = (better.saving, better.basis);
        let largest = [self.largest, other.largest].into_iter().flatten();
        Self {
            user: self.user,
            program: self.program,
            runs: self.runs + other.runs,
            ranks: self.ranks.max(other.ranks),
            hosts: self.hosts.max(other.hosts),
            node_hours: self.node_hours + other.node_hours,
            inside_mpi: self.inside_mpi + other.inside_mpi,
            unmapped: self.unmapped + other.unmapped,
            saving,
            basis,
            to_gain: 0.0,
            gained: 0.0,
            largest: largest.max_by(|a, b| a.0.total_cmp(&b.0)),
        }
    }

    /// Sets what a map saves.
    pub(super) fn judge(&mut self, (saving, basis): (Option<f64>, Basis)) {
        (self.saving, self.basis) = (saving, basis);
    }

    /// Computes what is to gain and what was gained.
    pub(super) fn sum_up(&mut self) {
        let saving = self.saving.unwrap_or_default();
        self.to_gain = saving * self.unmapped;
        let mapped = self.node_hours - self.unmapped;
        self.gained = mapped * saving / (1.0 - saving);
    }
}

/// The largest share of a run that is believed to be saved: with more, node-hours that were gained
/// would have no bound. Chosen by hand.
const MOST_SAVED: f64 = 0.99;

fn within(saving: f64) -> Option<f64> {
    saving.is_finite().then(|| saving.clamp(0.0, MOST_SAVED))
}

/// The saving of whole runs by the times of runs in both orders; `None` before they are enough.
fn measured_saving(runs: &[&Measured]) -> Option<(Option<f64>, Basis)> {
    if !is_enough(&BothOrders::of(runs.iter().copied())) {
        return None;
    }
    let whole = |mapped| {
        let of_order = runs.iter().filter(|run| run.mapped == mapped);
        median(&of_order.map(|run| run.run).collect::<Vec<_>>())
    };
    let saving = 1.0 - whole(true)? / whole(false)?;
    Some((within(saving), Basis::Measured))
}

/// The saving of whole runs that was promised.
pub(super) fn promised(promise: &Promise) -> (Option<f64>, Basis) {
    let saving = promise
        .run
        .and_then(|[launched, mapped]| within(1.0 - mapped / launched));
    let basis = match saving {
        None => Basis::Unknown,
        Some(_) if promise.at_most => Basis::AtMost,
        Some(_) => Basis::Promised,
    };
    (saving, basis)
}

/// The name of an entry without the checksum behind it.
fn program_of(entry: &Entry) -> String {
    let name = entry.name.rsplit_once('-').map(|(name, _)| name);
    name.unwrap_or(&entry.name).to_owned()
}

/// The name of the program of a command line, or of the script that it interprets.
fn base_name(line: &str) -> String {
    let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    let named = words.get(script(&words).unwrap_or(0));
    let name = named.and_then(|word| Path::new(word).file_name());
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Who owns a file. What the administrator has put there says itself whose it is.
pub(super) fn owner(opened: &Opened, said: &str, names: impl FnOnce(u32) -> String) -> String {
    match opened.owner {
        0 if !said.is_empty() => said.to_owned(),
        number => names(number),
    }
}
