//! From placements to candidates: figures, values, the winner of the search.

use super::Request;
use super::choice;
use super::doubts::Doubts;
use super::finalists::Final;
use super::outcome::{Candidate, Solution, StayIs, Valued};
use super::run::Run;
use rankfold_assess::{Assessment, Assessor, Constraints};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_problem::heuristic::Problem;
use rankfold_problem::team::{Team, dealt};

/// What placements are judged by, and who judges.
pub(super) struct Judging<'a> {
    /// The graph whose ranks the placements place.
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
    pub(super) constraints: &'a Constraints,
    pub(super) request: &'a Request,
    pub(super) team: &'a dyn Team,
}

/// All candidates, judged.
pub(super) struct Judged {
    pub(super) candidates: Vec<Candidate>,
    /// Index of the winner.
    pub(super) best: usize,
    /// The number of candidates that were replayed to decide; `None` where the formula `T` or
    /// another figure decided.
    pub(super) finalists: Option<usize>,
}

/// The placement that stays where nothing better is found.
pub(super) struct Stay {
    placement: Placement,
    is: StayIs,
}

impl Stay {
    /// Block order, if it keeps all constraints; else the placement to begin from, the launcher's
    /// placement, if it is known and keeps them, or block order put right.
    pub(super) fn of(
        problem: &Problem<'_>,
        block: &Placement,
        launched: Option<&Placement>,
    ) -> Self {
        let (constraints, machine) = (problem.constraints, problem.machine);
        let keeps =
            |it: &&Placement| !constraints.is_empty() && constraints.are_kept_by(it, machine);
        let (placement, is) = match (constraints.start(), launched.filter(keeps)) {
            (Some((begin, _)), _) => (begin.clone(), StayIs::Begin),
            (None, Some(launched)) => (launched.clone(), StayIs::Launched),
            (None, None) => {
                let block = constraints.put_back(block.clone(), problem.affinity, machine);
                (block, StayIs::PutRight)
            }
        };
        Self {
            is: if placement == *block {
                StayIs::Block
            } else {
                is
            },
            placement,
        }
    }
}

impl Judging<'_> {
    /// Judges the runs beside the placement that stays. Of a heuristic that was asked for by name,
    /// only the best run is a candidate.
    pub(super) fn all(&self, runs: Vec<Run>, stay: &Stay, is_named: bool) -> Judged {
        let (graph, machine) = (self.graph, self.machine);
        let objective = self.request.objective;
        let assessor = Assessor::on(graph, machine);
        let valued = |placement: &Placement| {
            let assessment = assessor.by_formula(placement.clone());
            Valued::of((graph, machine), objective, assessment)
        };
        let mut stays = valued(&stay.placement);
        let judged: Vec<Option<(Assessment, f64)>> = dealt(self.team, runs.len(), |number| {
            let valued = valued(runs[number].placement()?);
            Some((valued.assessment, valued.value))
        });
        let finished = runs.into_iter().zip(judged);
        let finished = finished.map(|(run, judged)| {
            run.finish(judged.map(|(assessment, value)| Valued { assessment, value }))
        });
        let mut candidates: Vec<Candidate> = finished.collect();
        if !is_named {
            candidates.insert(0, Candidate::stay(Solution::new(stays.clone()), &stay.is));
        }
        let last_round = Final {
            graph,
            machine,
            constraints: self.constraints,
            objective,
            effort: self.request.searched_effort(),
            seed: self.request.seed,
            refines: self.request.refine,
            is_timed: self.request.time.is_some(),
            is_named,
        };
        let finalists = last_round.hold(&mut candidates, &mut stays);
        let mut best = if is_named {
            choice::best_of(&candidates)
        } else {
            let ranked = choice::ranked(&candidates, objective, stays.assessment.score());
            Doubts::of(graph, machine, objective).winner(&candidates, ranked)
        };
        if is_named {
            candidates = vec![candidates.swap_remove(best)];
            best = 0;
        }
        Judged {
            candidates,
            best,
            finalists,
        }
    }
}
