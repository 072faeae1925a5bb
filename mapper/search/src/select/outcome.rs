//! The result of a selection: candidates, winner, bounds.

use super::BLOCK_ORDER;
use super::replayed::Replayed;
use crate::heuristic::{Diagnostics, Family, NotApplicable};
use crate::objective::{Judged, Objective};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::Replay;
use rankfold_metric::time::Time;
use rankfold_metric::{self as metric, CongestionBound, Score};
use rankfold_pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The placement of one heuristic, or the reason why there is none.
#[derive(Debug)]
pub struct Candidate {
    /// Name of the heuristic.
    pub heuristic: &'static str,
    /// Family of the heuristic.
    pub family: Family,
    /// The placement, refined or not, or why there is none.
    pub outcome: Result<Solution, NotApplicable>,
}

/// A placement with its metrics and its history.
#[derive(Debug)]
pub struct Solution {
    /// Rank -> slot.
    pub placement: Placement,
    /// The metrics of the placement.
    pub score: Score,
    /// The placement's value by the objective; lower is better.
    pub value: f64,
    /// Whether the placement can win: where replays decide, only replayed placements can.
    pub is_finalist: bool,
    /// What the heuristic did.
    pub construction: Diagnostics,
    /// What each refinement did, by name; empty for a placement left as constructed.
    pub refinement: Vec<(&'static str, Diagnostics)>,
    /// Wall-clock seconds for construction and refinement.
    pub seconds: f64,
}

/// The result of a selection.
#[derive(Debug)]
pub struct Selection {
    /// The pattern that the analyser found.
    pub pattern: Pattern,
    /// What was minimised.
    pub objective: &'static dyn Objective,
    /// All candidates: unrefined block order, then the runs in the order of
    /// [`HEURISTICS`](super::HEURISTICS), then what searches reached from them.
    pub candidates: Vec<Candidate>,
    /// Index of the winner among [`candidates`](Self::candidates).
    pub best: usize,
    /// The metrics of block order, as most launchers place ranks.
    pub baseline: Score,
    /// Block order's value by the objective.
    pub baseline_value: f64,
    /// No placement is worth less than this by the objective (certified); `None` where no bound is
    /// known.
    pub value_bound: Option<f64>,
    /// No placement has fewer hop-bytes than this (certified).
    pub lower_bound: u128,
    /// Whether some placement has as few hop-bytes as that: proved by branch and bound.
    pub lower_bound_is_optimum: bool,
    /// No placement has a lower highest congestion than this (certified).
    pub congestion_bound: CongestionBound,
    /// No placement has a shorter predicted time than this, in any of its parts (certified).
    pub time_bound: Time,
    /// Whether placements were replayed.
    pub replayed: Replayed,
    /// The replay of the winner, if placements were replayed.
    pub winners_replay: Option<Replay>,
    /// Wall-clock time from the graph in memory to the last placement, without the metrics and
    /// bounds that are computed afterwards.
    pub search: Duration,
}

impl Candidate {
    /// Block order as it is, not refined.
    pub(super) fn block_order(solution: Solution) -> Self {
        let about = BLOCK_ORDER.about();
        Self {
            heuristic: about.name,
            family: about.family,
            outcome: Ok(solution),
        }
    }

    /// Whether this is block order as it is, not refined.
    #[must_use]
    pub fn is_block_order(&self) -> bool {
        let solution = self.outcome.as_ref();
        let refined = solution.is_ok_and(|solution| !solution.refined_by().is_empty());
        self.heuristic == BLOCK_ORDER.about().name && !refined
    }
}

impl Solution {
    /// A placement that no heuristic of the portfolio made, with its metrics and its value.
    pub(super) fn judged(
        (graph, machine): (&CommGraph, &Machine),
        objective: &dyn Objective,
        placement: Placement,
    ) -> Self {
        let judgement = Judgement::of((graph, machine), objective, &placement);
        let (score, value) = judgement.into_score_and_value();
        Self {
            placement,
            score,
            value,
            is_finalist: true,
            construction: Diagnostics::default(),
            refinement: Vec::new(),
            seconds: 0.0,
        }
    }

    /// The refinements that moved a rank, in the order they ran.
    #[must_use]
    pub fn refined_by(&self) -> Vec<&'static str> {
        let moved = self.refinement.iter().filter(|(_, did)| did.moves > 0);
        moved.map(|(name, _)| *name).collect()
    }
}

/// The metrics and the value of a placement, as processes send them to each other.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Judgement {
    score: Score,
    /// The predicted time of `score`, which leaves it out when it is serialised.
    time: Time,
    /// What the placement is worth by the objective.
    value: f64,
}

impl Judgement {
    pub(super) fn of(
        (graph, machine): (&CommGraph, &Machine),
        objective: &dyn Objective,
        placement: &Placement,
    ) -> Self {
        let score = metric::score_of_routes(graph, machine, placement);
        let value = objective.value(&Judged {
            graph,
            machine,
            placement,
            score: &score,
        });
        Self {
            time: score.time,
            score,
            value,
        }
    }

    pub(super) fn into_score_and_value(self) -> (Score, f64) {
        let Self { score, time, value } = self;
        (Score { time, ..score }, value)
    }
}

impl Selection {
    /// Where block order wins although another candidate has a lower value: the share of block
    /// order's value that the best candidate would save, which is too little for a change.
    #[must_use]
    pub fn not_worth_it(&self) -> Option<f64> {
        let alone = self.candidates.len() == 1;
        let solved = self
            .candidates
            .iter()
            .filter_map(|c| c.outcome.as_ref().ok());
        let finalists = solved.filter(|solution| solution.is_finalist);
        let least = finalists.map(|s| s.value).fold(f64::INFINITY, f64::min);
        let stays = !alone && self.best == 0 && self.objective.least_saving() > 0.0;
        (stays && least < self.baseline_value).then(|| 1.0 - least / self.baseline_value)
    }

    /// The winning candidate and its solution.
    #[must_use]
    pub fn winner(&self) -> (&Candidate, &Solution) {
        let candidate = &self.candidates[self.best];
        (
            candidate,
            candidate
                .outcome
                .as_ref()
                .expect("the best candidate has a solution"),
        )
    }
}
