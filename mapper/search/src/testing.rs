//! Problems by formula, for the tests of several modules.

use crate::heuristic::{Effort, Problem};
use rankfold_model::pattern::Pattern;
pub(crate) use rankfold_model::samples::*;
use rankfold_model::{Affinity, CommGraph, Machine};

/// What heuristics look at, with the parts that must outlive it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) graph: CommGraph,
    affinity: Affinity,
    pattern: Pattern,
    pub(crate) machine: Machine,
}

impl Case {
    pub(crate) fn new(graph: CommGraph, machine: Machine) -> Self {
        Self {
            affinity: graph.affinity(),
            pattern: rankfold_model::pattern::analyze(&graph),
            graph,
            machine,
        }
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        Problem {
            graph: &self.graph,
            affinity: &self.affinity,
            machine: &self.machine,
            pattern: &self.pattern,
            seed: 0,
            objective: Default::default(),
            effort: Effort::default(),
            loops: None,
            deadline: None,
        }
    }
}
