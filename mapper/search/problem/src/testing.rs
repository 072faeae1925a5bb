//! Problems made by formula, for the tests of several modules.

use crate::heuristic::{Effort, Problem};
use crate::member_options::MemberOptions;
use crate::team::Alone;
use rankfold_assess::Constraints;
pub use rankfold_graph::samples::*;
use rankfold_graph::{Affinity, CommGraph};
use rankfold_machine::Machine;
pub use rankfold_machine::samples::*;
use rankfold_pattern::Pattern;

/// The parts that a [`Problem`] borrows.
#[derive(Debug)]
pub struct Case {
    /// Directed bytes between ranks.
    pub graph: CommGraph,
    affinity: Affinity,
    /// What placements have to keep; nothing at first.
    pub constraints: Constraints,
    pattern: Pattern,
    /// Nodes, network and slots.
    pub machine: Machine,
    /// The options of the heuristic that a test runs.
    pub options: MemberOptions,
}

impl Case {
    /// A problem of these, with what follows from them.
    pub fn new(graph: CommGraph, machine: Machine) -> Self {
        Self {
            affinity: graph.affinity(),
            constraints: Constraints::default(),
            pattern: rankfold_pattern::analyze(&graph),
            graph,
            machine,
            options: MemberOptions::default(),
        }
    }

    /// The problem, with seed 0 and defaults for all else.
    #[must_use]
    pub fn problem(&self) -> Problem<'_> {
        Problem {
            graph: &self.graph,
            affinity: &self.affinity,
            machine: &self.machine,
            constraints: &self.constraints,
            pattern: &self.pattern,
            seed: 0,
            objective: Default::default(),
            effort: Effort::default(),
            loops: None,
            options: &self.options,
            deadline: None,
            team: &Alone,
        }
    }
}

/// A communication graph of `scripts/instances`.
///
/// # Panics
/// NOT TESTED HERE: without the program `xz` the instance cannot be read.
pub fn instance(name: &str) -> CommGraph {
    let file = format!(
        "{}/../../../scripts/instances/{name}.mtx.xz",
        env!("CARGO_MANIFEST_DIR")
    );
    let unpacked = std::process::Command::new("xz")
        .args(["-dc", &file])
        .output();
    let unpacked = unpacked.expect("NOT TESTED HERE: xz is not installed");
    assert!(unpacked.status.success(), "{file}");
    let text = String::from_utf8(unpacked.stdout).unwrap();
    let numbers = |line: &str| -> Vec<usize> {
        line.split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect()
    };
    let mut lines = text
        .lines()
        .filter(|line| !line.starts_with('%'))
        .map(numbers);
    let ranks = lines.next().unwrap()[0];
    graph(
        ranks,
        lines
            .map(|l| message(l[0] - 1, l[1] - 1, l[2] as u64))
            .collect(),
    )
}
