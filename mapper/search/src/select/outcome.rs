//! The result of a selection: candidates, winner, bounds.

use super::BLOCK_ORDER;
use rankfold_assess::{Assessment, Bounds, Predicted, Saving};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::Score;
use rankfold_pattern::Pattern;
use rankfold_problem::heuristic::{Diagnostics, Family, NotApplicable};
use rankfold_problem::objective::{Judged, Objective};
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

/// A placement with its figures and its history.
#[derive(Debug)]
pub struct Solution {
    /// The placement with its figures.
    pub(super) assessment: Assessment,
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

/// A placement with its figures, and what it is worth by the objective of a search.
#[derive(Clone, Debug)]
pub struct Valued {
    /// The placement with its figures.
    pub assessment: Assessment,
    /// Its value by the objective; lower is better.
    pub value: f64,
}

/// The result of a selection. The times of [`block`](Self::block), [`launched`](Self::launched) and
/// the winner come from one predictor.
#[derive(Debug)]
pub struct Selection {
    /// The pattern that the analyser found.
    pub pattern: Pattern,
    /// What was minimised.
    pub objective: &'static dyn Objective,
    /// All candidates: what stays where nothing better is found, which is unrefined block order as
    /// a rule, then the runs in the order of [`HEURISTICS`](super::HEURISTICS), then what searches
    /// reached from them.
    pub candidates: Vec<Candidate>,
    /// Index of the winner among [`candidates`](Self::candidates).
    pub best: usize,
    /// Block order, as most launchers place ranks.
    pub block: Valued,
    /// Where the launcher put the ranks, if the case tells it.
    pub launched: Option<Valued>,
    /// What no placement is below.
    pub bounds: Bounds,
    /// No placement is worth less than this by the objective (certified); `None` where no bound is
    /// known.
    pub value_bound: Option<f64>,
    /// What predicted times come from.
    pub predicted: Predicted,
    /// Wall-clock time from the graph in memory to the last placement, without the metrics and
    /// bounds that are computed afterwards.
    pub search: Duration,
}

impl Selection {
    /// What the winner is compared with: the launch where it is known, else block order.
    #[must_use]
    pub fn reference(&self) -> &Valued {
        self.launched.as_ref().unwrap_or(&self.block)
    }

    /// What the winner saves where nobody told the capacities between switches.
    #[must_use]
    pub fn saving(&self, graph: &CommGraph, machine: &Machine) -> Option<Saving> {
        let both = [&self.reference().assessment, self.winner().1.assessment()];
        Saving::assumed(graph, machine, both.map(Assessment::placement))
    }
}

/// What the placement is that stays where none is better.
pub(super) enum StayIs {
    /// Block order.
    Block,
    /// The placement that the launcher made.
    Launched,
    /// The placement to begin from.
    Begin,
    /// Block order with the constraints kept.
    PutRight,
}

/// Why a placement stays although another one has a lower value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// The other one saves too little.
    TooLittle,
    /// The other one is slower where routes or the sharing of links, which nobody told, are not as
    /// they are taken.
    Unsure,
}

/// The name of the candidate that is the placement the launcher made.
const LAUNCHED: &str = "launched";

/// The name of the candidate that is the placement to begin from.
const BEGIN: &str = "start";

/// The name of the candidate that is block order with the constraints kept.
const PINNED: &str = "pinned";

impl Candidate {
    /// A placement that no heuristic made and that stays where none is better: block order, or,
    /// where that breaks constraints, the placement to begin from, the launcher's placement or
    /// block order put right.
    pub(super) fn stay(solution: Solution, is: &StayIs) -> Self {
        let about = BLOCK_ORDER.about();
        Self {
            heuristic: match is {
                StayIs::Block => about.name,
                StayIs::Launched => LAUNCHED,
                StayIs::Begin => BEGIN,
                StayIs::PutRight => PINNED,
            },
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

    /// What this is where it stays in the place of a better one, in words.
    #[must_use]
    pub fn in_words(&self) -> &'static str {
        match self.heuristic {
            LAUNCHED => "the launched order",
            BEGIN => "the map to begin from",
            PINNED => "block order with the constraints kept",
            _ => "block order",
        }
    }
}

impl Solution {
    /// A placement that no heuristic of the portfolio made.
    pub(super) fn new(valued: Valued) -> Self {
        Self {
            assessment: valued.assessment,
            value: valued.value,
            is_finalist: true,
            construction: Diagnostics::default(),
            refinement: Vec::new(),
            seconds: 0.0,
        }
    }

    /// The placement with its figures.
    #[must_use]
    pub fn assessment(&self) -> &Assessment {
        &self.assessment
    }

    /// Rank -> slot.
    #[must_use]
    pub fn placement(&self) -> &Placement {
        self.assessment.placement()
    }

    /// The metrics of the placement.
    #[must_use]
    pub fn score(&self) -> &Score {
        self.assessment.score()
    }

    /// The refinements that moved a rank, in the order they ran.
    #[must_use]
    pub fn refined_by(&self) -> Vec<&'static str> {
        let moved = self.refinement.iter().filter(|(_, did)| did.moves > 0);
        moved.map(|(name, _)| *name).collect()
    }

    /// Takes other figures of the same placement over, and what it is worth by them.
    pub(super) fn take(&mut self, valued: Valued) {
        (self.assessment, self.value) = (valued.assessment, valued.value);
    }
}

impl Valued {
    /// What a placement is worth by an objective.
    pub(super) fn of(
        (graph, machine): (&CommGraph, &Machine),
        objective: &dyn Objective,
        assessment: Assessment,
    ) -> Self {
        let value = objective.value(&Judged {
            graph,
            machine,
            placement: assessment.placement(),
            score: assessment.score(),
        });
        Self { assessment, value }
    }
}

impl Selection {
    /// Where the placement that stays wins although another candidate has a lower value: the share
    /// of its value that the best candidate would save, and why that is no reason for a change.
    #[must_use]
    pub fn not_worth_it(&self) -> Option<(f64, Stays)> {
        let alone = self.candidates.len() == 1;
        let solved = self
            .candidates
            .iter()
            .filter_map(|c| c.outcome.as_ref().ok());
        let finalists = solved.filter(|solution| solution.is_finalist);
        let least = finalists.map(|s| s.value).fold(f64::INFINITY, f64::min);
        let stays = !alone && self.best == 0 && self.objective.least_saving() > 0.0;
        let value = self.winner().1.value;
        let why = if least >= (1.0 - self.objective.least_saving()) * value {
            Stays::TooLittle
        } else {
            Stays::Unsure
        };
        (stays && least < value).then(|| (1.0 - least / value, why))
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

    /// Whether the winner has every rank on the node where another placement has it.
    #[must_use]
    pub fn is_won_by(&self, other: &Valued, machine: &Machine) -> bool {
        let nodes = |placement: &Placement| placement.nodes(machine.slots());
        nodes(other.assessment.placement()) == nodes(self.winner().1.placement())
    }
}
