//! What a search is asked for.

use super::Request;
use rankfold_assess::Constraints;
use rankfold_graph::{Affinity, CommGraph};
use rankfold_machine::Machine;
use rankfold_pattern::Pattern;
use rankfold_problem::heuristic::Problem;
use rankfold_problem::member_options::MemberOptions;
use rankfold_problem::team::Team;
use std::time::Instant;

/// What a search is asked for: a [`Problem`] but for the affinity, which takes memory.
pub(super) struct Asked<'a> {
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
    pub(super) constraints: &'a Constraints,
    pub(super) pattern: &'a Pattern,
    pub(super) request: &'a Request,
    pub(super) options: &'a MemberOptions,
    pub(super) deadline: Option<Instant>,
    pub(super) team: &'a dyn Team,
}

impl<'a> Asked<'a> {
    /// The problem, with the affinity of the graph.
    pub(super) fn problem(&self, affinity: &'a Affinity) -> Problem<'a> {
        Problem {
            graph: self.graph,
            affinity,
            machine: self.machine,
            constraints: self.constraints,
            pattern: self.pattern,
            seed: self.request.seed,
            objective: self.request.objective,
            effort: self.request.searched_effort(),
            loops: self.request.loops,
            options: self.options,
            deadline: self.deadline,
            team: self.team,
        }
    }
}
