//! The run of one heuristic: its placement, constructed and refined, before it is judged.

use super::outcome::{Candidate, Solution, Valued};
use rankfold_base::Placement;
use rankfold_problem::heuristic::{
    Diagnostics, Heuristic, NotApplicable, Placed, Problem, Reached, Refinement, Start,
};
use std::time::Instant;

/// The run of a heuristic: a placement, or the reason why there is none.
pub(super) struct Run {
    pub(super) heuristic: &'static dyn Heuristic,
    pub(super) outcome: Result<Work, NotApplicable>,
}

/// A placement, and how it was made so far.
pub(super) struct Work {
    pub(super) placed: Placed,
    hop_bytes: u128,
    refinement: Vec<(&'static str, Diagnostics)>,
    /// Wall-clock seconds spent on the placement so far.
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

    /// Its placement as a start for refinements that search on.
    pub(super) fn start(&self) -> Option<Start<'_>> {
        let work = self.outcome.as_ref().ok()?;
        Some(Start {
            placement: &work.placed.placement,
            hop_bytes: work.hop_bytes,
        })
    }

    /// A new run: this run's heuristic and refinements, followed by the refinement `name`, which
    /// reached another placement.
    pub(super) fn continued(
        &self,
        problem: &Problem<'_>,
        name: &'static str,
        reached: Reached,
    ) -> Option<Self> {
        let work = self.outcome.as_ref().ok()?;
        let did = reached.did.into_iter().map(|did| (name, did));
        Some(Self {
            heuristic: self.heuristic,
            outcome: Ok(Work {
                hop_bytes: problem.hop_bytes(&reached.placement),
                placed: Placed {
                    placement: reached.placement,
                    diagnostics: work.placed.diagnostics.clone(),
                },
                refinement: work.refinement.iter().cloned().chain(did).collect(),
                seconds: work.seconds + reached.seconds,
            }),
        })
    }

    /// A copy of this run, if the run has no refinements yet.
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

    /// The candidate with its figures and its value, where it has a placement.
    pub(super) fn finish(self, valued: Option<Valued>) -> Candidate {
        let with = |(work, valued): (Work, Valued)| Solution {
            construction: work.placed.diagnostics,
            refinement: work.refinement,
            seconds: work.seconds,
            ..Solution::new(valued)
        };
        Candidate {
            heuristic: self.heuristic.about().name,
            family: self.heuristic.about().family,
            outcome: self
                .outcome
                .map(|work| with((work, valued.expect("a placement was judged")))),
        }
    }
}

impl Work {
    /// A placement as the heuristic constructed it.
    pub(super) fn new(constructed: Constructed) -> Self {
        Self {
            hop_bytes: constructed.hop_bytes,
            placed: constructed.placed,
            refinement: Vec::new(),
            seconds: constructed.seconds,
        }
    }

    /// The placement after these refinements, one after the other. `begin` is called before each.
    pub(super) fn refined(
        &self,
        problem: &Problem<'_>,
        refinements: &[&dyn Refinement],
        begin: impl Fn(&dyn Refinement),
    ) -> Refined {
        let start = Instant::now();
        let mut placement = self.placed.placement.clone();
        let constraints = problem.constraints.held_at(&placement);
        let problem = &Problem {
            constraints: &constraints,
            ..*problem
        };
        let did = refinements.iter().map(|refinement| {
            begin(*refinement);
            let did = refinement.refine(problem, &mut placement);
            debug_assert!(problem.constraints.are_kept_by(&placement, problem.machine));
            did
        });
        let did: Vec<Diagnostics> = did.collect();
        Refined {
            placement,
            did,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Takes over what these refinements made of the placement.
    pub(super) fn take(&mut self, refined: Refined, refinements: &[&dyn Refinement]) {
        self.placed.placement = refined.placement;
        self.seconds += refined.seconds;
        for (refinement, did) in refinements.iter().zip(refined.did) {
            self.hop_bytes = did.history.last().copied().unwrap_or(self.hop_bytes);
            self.refinement.push((refinement.about().name, did));
        }
    }
}

/// The placement that a heuristic made, as processes send it to each other.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Constructed {
    placed: Placed,
    hop_bytes: u128,
    seconds: f64,
}

impl Constructed {
    /// A placement that took `seconds` to make.
    pub(super) fn new(problem: &Problem<'_>, placed: Placed, seconds: f64) -> Self {
        Self {
            hop_bytes: problem.hop_bytes(&placed.placement),
            placed,
            seconds,
        }
    }
}

/// What refinements made of a placement, as processes send it to each other. `did` holds what each
/// refinement did, in the order they ran.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Refined {
    placement: Placement,
    did: Vec<Diagnostics>,
    seconds: f64,
}
