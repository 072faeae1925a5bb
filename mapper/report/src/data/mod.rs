//! Everything a report shows, and nothing else: the keys of `rankfold report --json`.
//!
//! Bytes are floating-point numbers where they are sums over links, which no integer of 64 bits
//! need hold. Lists that would be long are left out above a size each states, and a folded form is
//! there instead.

mod machine;
mod side;
mod traffic;

pub use machine::{Band, Bands, Kind, Level, Link, LoadUnit, Machine, Network, Place, Shape};
pub use side::{BusyLink, Carpet, Figures, Folded, GroupLoads, Loads, NodeMatrix, Row, Side};
pub use traffic::{Blocks, Collective, Pair, Phase, SizeClass, Sizes, TimeClass, Times, Traffic};

pub use rankfold_model::metric::time::still_to_gain;
use serde::Serialize;

/// A whole report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What it is about: the input's name.
    pub title: String,
    /// The version of rankfold that wrote it.
    pub version: String,
    /// The run, as far as the input tells.
    pub run: Run,
    /// Who sends whom how much.
    pub traffic: Traffic,
    /// The machine, if one was named.
    pub machine: Option<Machine>,
    /// The placements: none without a machine, else one or two, "before" first.
    pub sides: Vec<Side>,
    /// What no placement can do better than; with a machine.
    pub bounds: Option<Bounds>,
    /// Who was asked for a placement; where there was a search.
    pub candidates: Option<Candidates>,
    /// The pattern of the communication.
    pub pattern: Pattern,
    /// What was measured of the program; `None` where nothing was.
    pub measured: Option<Measured>,
    /// How to have the same again.
    pub reproduce: Reproduce,
    /// What the report could not show, and what would help.
    pub missing: Vec<Missing>,
}

/// What ran.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// What kind of file this was read from.
    pub format: String,
    /// The program, if the input tells.
    pub program: Option<String>,
    /// Its command line.
    pub command: Option<String>,
    /// The MPI library's own version string.
    pub mpi: Option<String>,
    /// When it began, UTC.
    pub date: Option<String>,
    /// How long the launch took, in seconds.
    pub elapsed: Option<f64>,
    /// On how many hosts it ran.
    pub hosts: Option<usize>,
    /// Where each rank was, by rank; empty where the input does not tell, and for large worlds.
    pub seats: Vec<Seat>,
    /// The rank that the launcher gave each rank's process, by rank; empty as `seats`.
    pub launcher_ranks: Vec<u32>,
    /// The lowest rank of the shared-memory group the MPI library puts each rank in, by rank; empty
    /// as `seats`.
    pub shared_with: Vec<u32>,
    /// Whether ranks were where they were planned; without a plan, whether hosts, cores and shared
    /// memory agree.
    pub as_planned: Option<bool>,
    /// How it ended, and other remarks, a sentence each.
    pub remarks: Vec<String>,
}

/// Where a rank was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The host; empty if it is missing.
    pub host: String,
    /// The processors it might run on, as `0-3,8`; `-` where that is not known.
    pub cores: String,
}

/// Certified bounds: no placement is below.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bounds {
    /// Of hop-bytes.
    pub hop_bytes: f64,
    /// Of the busiest link's load.
    pub congestion: f64,
    /// The most of the last side's hop-bytes that any other placement could save: 1 - bound /
    /// value.
    pub still_to_gain: f64,
    /// The most of its busiest link's load, likewise.
    pub congestion_still_to_gain: f64,
}

/// A search for a placement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Candidates {
    /// What was minimised.
    pub objective: String,
    /// Those that found a placement, by hop-bytes.
    pub solved: Vec<Candidate>,
    /// Those that did not run, and why.
    pub skipped: Vec<[String; 2]>,
    /// What the winner's search did, a line each.
    pub notes: Vec<String>,
}

/// One placement of the search.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Candidate {
    /// The heuristic, and the refinements behind it.
    pub name: String,
    /// Its family.
    pub family: String,
    /// Sum of bytes x links.
    pub hop_bytes: f64,
    /// The busiest link's bytes over its bandwidth.
    pub congestion: f64,
    /// The hybrid metric.
    pub hybrid: f64,
    /// What was minimised.
    pub value: f64,
    /// Wall-clock seconds of its search.
    pub seconds: f64,
    /// Whether it is the one chosen.
    pub won: bool,
}

/// What the analyser sees.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pattern {
    /// The grid that the ranks form, if they do.
    pub grid: Option<GridPattern>,
    /// Share of the bytes that the best grid tried explains, where none does.
    pub explained: f64,
    /// Other traffic of a known kind, in words.
    pub overlays: Vec<String>,
    /// How many ranks send to how many partners: entry k counts those with k.
    pub partners: Vec<usize>,
    /// Share of the bytes that go to the k heaviest partners of each rank, k from 0.
    pub heaviest: Vec<f64>,
}

/// A grid of ranks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GridPattern {
    /// Size of every dimension.
    pub dims: Vec<usize>,
    /// Whether each closes to a ring.
    pub periodic: Vec<bool>,
    /// Points of the stencil.
    pub points: usize,
    /// Share of all bytes along it.
    pub carried: f64,
    /// How ranks are numbered, in words.
    pub numbering: String,
    /// The rank of every cell, row-major; empty for large grids.
    pub ranks: Vec<Option<u32>>,
    /// Steps of every neighbour, and the bytes a rank sends there, the mean over those that have
    /// one.
    pub neighbours: Vec<(Vec<i32>, f64)>,
}

/// How long the program took, in seconds: before and after, as far as either was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// As launched.
    pub before: Option<f64>,
    /// With the placement.
    pub after: Option<f64>,
    /// How many times as fast it was predicted to be with the placement, by whoever measured.
    pub predicted_gain: Option<f64>,
}

/// How to have the same again.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Reproduce {
    /// Command lines.
    pub commands: Vec<String>,
    /// Versions, seed and the like: name and value.
    pub facts: Vec<[String; 2]>,
}

/// Something the report could not show.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Missing {
    /// What, and why.
    pub what: String,
    /// The command that would help.
    pub command: Option<String>,
}
