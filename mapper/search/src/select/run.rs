//! One heuristic at work: its placement, constructed and refined, before it is judged.

use super::outcome::{Candidate, Solution};
use crate::heuristic::{Diagnostics, Heuristic, NotApplicable, Placed, Problem, Refinement};
use crate::objective::Objective;
use rankfold_model::comm::CommGraph;
use rankfold_model::machine::Machine;
use rankfold_model::metric;
use rankfold_model::placement::Placement;
use std::time::Instant;

/// A heuristic at work.
pub(super) struct Run {
    pub(super) heuristic: &'static dyn Heuristic,
    pub(super) outcome: Result<Work, NotApplicable>,
}

/// A placement in the making.
pub(super) struct Work {
    pub(super) placed: Placed,
    hop_bytes: u128,
    refinement: Vec<(&'static str, Diagnostics)>,
    /// Spent on it so far.
    seconds: f64,
}

impl Run {
    pub(super) fn hop_bytes(&self) -> Option<u128> {
        self.outcome.as_ref().ok().map(|work| work.hop_bytes)
    }

    pub(super) fn placement(&self) -> Option<&Placement> {
        self.outcome
            .as_ref()
            .ok()
            .map(|work| &work.placed.placement)
    }

    /// The same heuristic and refinements with one more that led to `placement`.
    pub(super) fn continued(
        &self,
        problem: &Problem<'_>,
        placement: Placement,
        refinement: (&'static str, Diagnostics),
        seconds: f64,
    ) -> Option<Self> {
        let work = self.outcome.as_ref().ok()?;
        let refinements = work.refinement.iter().cloned();
        Some(Self {
            heuristic: self.heuristic,
            outcome: Ok(Work {
                hop_bytes: hop_bytes(problem, &placement),
                placed: Placed {
                    placement,
                    diagnostics: work.placed.diagnostics.clone(),
                },
                refinement: refinements.chain([refinement]).collect(),
                seconds: work.seconds + seconds,
            }),
        })
    }

    /// The same heuristic without refinements, if it has none yet.
    pub(super) fn unrefined(&self) -> Option<Self> {
        let work = self.outcome.as_ref().ok()?;
        work.refinement.is_empty().then(|| Self {
            heuristic: self.heuristic,
            outcome: Ok(Work {
                placed: work.placed.clone(),
                refinement: Vec::new(),
                ..*work
            }),
        })
    }

    pub(super) fn is_refined(&self) -> bool {
        let work = self.outcome.as_ref();
        work.is_ok_and(|work| !work.refinement.is_empty())
    }

    /// What became of it, with all metrics of routes.
    pub(super) fn finish(
        self,
        problem: (&CommGraph, &Machine),
        objective: &dyn Objective,
    ) -> Candidate {
        Candidate {
            heuristic: self.heuristic.about().name,
            family: self.heuristic.about().family,
            outcome: self.outcome.map(|work| Solution {
                construction: work.placed.diagnostics,
                refinement: work.refinement,
                seconds: work.seconds,
                ..Solution::judged(problem, objective, work.placed.placement)
            }),
        }
    }
}

impl Work {
    /// As constructed in so many seconds.
    pub(super) fn new(problem: &Problem<'_>, placed: Placed, seconds: f64) -> Self {
        Self {
            hop_bytes: hop_bytes(problem, &placed.placement),
            placed,
            refinement: Vec::new(),
            seconds,
        }
    }

    pub(super) fn refine(&mut self, problem: &Problem<'_>, refinement: &dyn Refinement) {
        let start = Instant::now();
        let did = refinement.refine(problem, &mut self.placed.placement);
        self.seconds += start.elapsed().as_secs_f64();
        self.hop_bytes = did.history.last().copied().unwrap_or(self.hop_bytes);
        self.refinement.push((refinement.about().name, did));
    }
}

fn hop_bytes(problem: &Problem<'_>, placement: &Placement) -> u128 {
    let nodes = placement.nodes(problem.machine.slots());
    metric::hop_bytes_of(problem.affinity, problem.machine.topology(), &nodes)
}
