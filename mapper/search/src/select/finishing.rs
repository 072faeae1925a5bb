//! The last step of a selection: where inside of their nodes the ranks of the winner sit.
//!
//! No figure of the network depends on it, so it waits until everything else has been decided. The
//! placement that stays where nothing better is found keeps its seats as well, unless others save
//! as large a share of bytes x levels as the objective asks of a change.

use super::Request;
use super::outcome::{Candidate, Solution, Valued};
use super::settled::Settled;
use rankfold_assess::Assessor;
use rankfold_problem::heuristic::{Problem, Scope};

impl Settled {
    /// The same with the winner's ranks in better seats inside of their nodes, if there are any.
    pub(super) fn finished(mut self, problem: &Problem<'_>, request: &Request) -> Self {
        if !request.refine {
            return self;
        }
        let is_stay = self.best == 0 && self.candidates.len() > 1;
        let Some(winner) = self.candidates[self.best].outcome.as_ref().ok() else {
            return self;
        };
        let Some(solution) = reseated(problem, request, winner) else {
            return self;
        };
        let [before, after] = [winner, &solution].map(|it| it.score().inner_levels as f64);
        let most = (1.0 - request.objective.least_saving()) * before;
        // Bytes x levels rise only where ranks are spread over a node with room.
        if is_stay && after > most && after <= before {
            return self;
        }
        if is_stay {
            let Candidate {
                heuristic, family, ..
            } = self.candidates[0];
            self.best = self.candidates.len();
            self.candidates.push(Candidate {
                heuristic,
                family,
                outcome: Ok(solution),
            });
        } else {
            self.candidates[self.best].outcome = Ok(solution);
        }
        self
    }
}

/// A solution after the refinements that are for the winner alone; `None` if none moved a rank.
fn reseated(problem: &Problem<'_>, request: &Request, winner: &Solution) -> Option<Solution> {
    let constraints = problem.constraints.held_at(winner.placement());
    let problem = &Problem {
        constraints: &constraints,
        ..*problem
    };
    let mut placement = winner.placement().clone();
    let mut refinement = winner.refinement.clone();
    for one in request.portfolio.refinements {
        let about = one.about();
        if about.scope == Scope::Winner && (about.suits)(problem.machine) {
            refinement.push((about.name, one.refine(problem, &mut placement)));
        }
    }
    if placement == *winner.placement() {
        return None;
    }
    let own = &winner.assessment;
    let mut assessment = Assessor::on(problem.graph, problem.machine).by_formula(placement);
    debug_assert_eq!(assessment.score().hop_bytes, own.score().hop_bytes);
    // The messages take the same links.
    if let Some(replay) = own.replay() {
        assessment = assessment.by_replay(replay.clone());
    }
    assessment = assessment.with_paths_of(own);
    let valued = Valued {
        assessment,
        value: winner.value,
    };
    Some(Solution {
        is_finalist: winner.is_finalist,
        construction: winner.construction.clone(),
        refinement,
        seconds: winner.seconds,
        ..Solution::new(valued)
    })
}
