//! All data of a report and nothing else: the keys of `rankfold report --json`.
//!
//! Sums of bytes over links are floating-point numbers, as they may exceed 64 bits. Lists that
//! would be too long are left out, and the data holds a condensed form of them instead.

mod differences;
mod machine;
mod pattern;
mod side;
mod traffic;

pub use differences::{DifferenceBlocks, Differences, PairDifference};
pub use machine::{
    Band, Bands, Level, Link, LinkKind, LoadUnit, LowerEnds, Machine, Network, NetworkShape,
    VertexPosition,
};
pub use pattern::{GridPattern, Pattern};
pub use side::{
    BusyLink, Carpet, Figures, Folded, GroupLoads, LevelRow, LinkLoads, NodeMatrix, Side,
};
pub use traffic::{
    Blocks, Collective, Origin, Pair, Phase, SentByFunction, SizeClass, Sizes, TimeClass,
    TimeInFunction, Times, Traffic,
};

use rankfold_metric::time::Predictor;
pub use rankfold_metric::time::still_to_gain;
use schemars::JsonSchema;
use serde::Serialize;

/// A whole report.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Report {
    /// Title: the name of the input.
    pub title: String,
    /// Version of rankfold that wrote the report.
    pub version: String,
    /// The run, as far as the input describes it.
    pub run: Run,
    /// The communication matrix and what was counted besides.
    pub traffic: Traffic,
    /// What the second of two runs sends more or less than the first; `None` where one run is
    /// shown.
    pub differences: Option<Differences>,
    /// The machine, if one was named.
    pub machine: Option<Machine>,
    /// The placements, "before" first: none without a machine, otherwise one or two.
    pub sides: Vec<Side>,
    /// The share of the first side's predicted time that the second one is promised to save; `None`
    /// where the capacities between switches were told, so that it is what the times say.
    pub promised_saving: Option<f64>,
    /// Lower bounds over all placements; `None` without a machine.
    pub bounds: Option<Bounds>,
    /// The candidates of the search; `None` where nothing was searched.
    pub candidates: Option<Candidates>,
    /// The pattern of the communication.
    pub pattern: Pattern,
    /// Measured times of the program; `None` where nothing was measured.
    pub measured: Option<Measured>,
    /// The last side's placement as a mapfile; `None` without a placement, and for runs with many
    /// ranks.
    pub mapfile: Option<EmbeddedMapfile>,
    /// What nobody told of the machine, and what other hosts would change: one sentence each.
    pub to_know: Vec<String>,
    /// How to make the same report again.
    pub reproduce: Reproduce,
    /// What the report could not show, and which command would help.
    pub missing: Vec<Missing>,
}

/// The run that the report is about.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Run {
    /// Format of the input file.
    pub format: String,
    /// The program, if the input names one.
    pub program: Option<String>,
    /// The login name of the user who launched the run.
    pub user: Option<String>,
    /// The command line of the launch.
    pub command: Option<String>,
    /// The MPI library's own version string.
    pub mpi: Option<String>,
    /// Start of the run in UTC.
    pub date: Option<String>,
    /// Wall-clock seconds of the launch.
    pub elapsed: Option<f64>,
    /// Number of hosts.
    pub hosts: Option<usize>,
    /// Host and cores of each rank, by rank; empty if unknown, and for runs with many ranks.
    pub seats: Vec<Seat>,
    /// The rank that the launcher gave to each process, by rank; empty like `seats`.
    pub launcher_ranks: Vec<u32>,
    /// For each rank, the lowest rank of the shared-memory group that the MPI library put it in;
    /// empty like `seats`.
    pub shared_with: Vec<u32>,
    /// Whether the ranks were where the placement had put them. Without a placement: whether hosts,
    /// cores and shared memory agree with each other.
    pub as_planned: Option<bool>,
    /// How the run ended, and other remarks; one sentence each.
    pub remarks: Vec<String>,
}

/// Host and cores of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Seat {
    /// The host; empty if the rank is missing.
    pub host: String,
    /// The processors the rank was allowed to run on, as `0-3,8`; `-` if unknown.
    pub cores: String,
}

/// Certified lower bounds: no placement has lower values.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Bounds {
    /// Lower bound of the hop-bytes.
    pub hop_bytes: f64,
    /// Lower bound of the busiest link's load.
    pub congestion: f64,
    /// Lower bound of the predicted time, in the unit of the sides' times.
    pub time: f64,
    /// The largest share of the last side's hop-bytes that another placement could save: 1 - bound
    /// / value.
    pub still_to_gain: f64,
    /// The largest share of the last side's busiest load that another placement could save.
    pub congestion_still_to_gain: f64,
    /// The largest share of the last side's predicted time that another placement could save.
    pub time_still_to_gain: f64,
}

/// The result of a search, candidate by candidate.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Candidates {
    /// The objective that was minimised.
    pub objective: String,
    /// The figure of the objective: "predicted time".
    pub figure: String,
    /// The value of the objective as launched.
    pub before: f64,
    /// No placement has a lower value of the objective; `None` where no bound is known.
    pub bound: Option<f64>,
    /// Candidates with a placement, by the value of the objective.
    pub solved: Vec<Candidate>,
    /// Heuristics that were not run, each with the reason.
    pub skipped: Vec<[String; 2]>,
    /// What the winner's construction and refinement did, one line each.
    pub notes: Vec<String>,
}

/// One placement of the search.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Candidate {
    /// The heuristic and the refinements, joined by `+`.
    pub name: String,
    /// Family of the heuristic.
    pub family: String,
    /// Predicted time, in the unit of the sides' times.
    pub time: f64,
    /// What the time comes from: times of different predictors do not compare.
    pub predicted_by: Predictor,
    /// Sum of bytes times hops.
    pub hop_bytes: f64,
    /// Congestion: the busiest link's bytes over its bandwidth.
    pub congestion: f64,
    /// The hybrid metric.
    pub hybrid: f64,
    /// Value of the objective.
    pub value: f64,
    /// Whether the candidate was among those that the winner was chosen from. Where replays decide,
    /// the values of others are times by the formula, which do not compare.
    pub is_finalist: bool,
    /// Wall-clock seconds spent on this candidate.
    pub seconds: f64,
    /// Whether this candidate won.
    pub won: bool,
}

/// Measured seconds of the program, before and after placing, each if it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Measured {
    /// Seconds as launched.
    pub before: Option<f64>,
    /// Seconds with the placement.
    pub after: Option<f64>,
    /// Ratio of the time before to the time after that was promised before the first run with the
    /// placement.
    pub predicted_gain: Option<f64>,
    /// Whether that ratio is a limit rather than the one to expect.
    pub predicted_limit: Option<Limit>,
    /// The same ratio as predicted with what runs with the placement have taken; `None` before the
    /// first.
    pub corrected_gain: Option<f64>,
    /// The numbers of runs before and after placing; `None` where the times were given.
    pub runs: Option<[usize; 2]>,
    /// Whether the runs are too few to say which order is faster.
    pub too_few: bool,
}

/// What a promised gain is, if not the one to expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The least on machines that fit what was told.
    AtLeast,
    /// The highest that is possible.
    AtMost,
}

/// A mapfile in the page, with the lines that use it and that write it again.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct EmbeddedMapfile {
    /// Format of the mapfile.
    pub format: String,
    /// The main file, then the files beside it: name and content.
    pub files: Vec<[String; 2]>,
    /// The line that launches with it; empty if no launcher reads the file.
    pub launch: String,
    /// The line that writes it again; empty for a mapfile that was given.
    pub made_by: String,
}

/// How to make the same report again.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Reproduce {
    /// Command lines to run.
    pub commands: Vec<String>,
    /// Versions, seed and other facts: name and value.
    pub facts: Vec<[String; 2]>,
}

/// A part that the report could not show.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Missing {
    /// What is missing, and why.
    pub what: String,
    /// The command whose output would supply it.
    pub command: Option<String>,
}
