//! What a selection publishes: block order, the launch and the winner, assessed together.
//!
//! A search finds its winner by whatever it can afford: by replays of some candidates, or by the
//! formula `T`. What is published is compared with each other, and with what anybody computes of
//! the written placement later. So these few are assessed by one predictor at the end: by replays
//! where those are affordable. Where the formula `T` has found the best candidate, its replay
//! decides between it and the placement that stays.

use super::Request;
use super::choice::compare;
use super::doubts::Doubts;
use super::judging::Judged;
use super::outcome::{Candidate, Selection, Solution, Valued};
use rankfold_assess::{Assessment, Assessor, Bounds, Case, Predicted};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::MOST_WORK;
use rankfold_pattern::Pattern;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::objective::BoundsOf;
use rankfold_problem::team::{Team, dealt};
use std::time::Duration;

/// The work of each replay at the end of a search, for each rank: see [`Replay::work`]. Searches
/// for fewer ranks have the work of [`LEAST_RANKS`]. Efforts from balanced on have [`MOST_WORK`],
/// as `eval` has.
///
/// [`Replay::work`]: rankfold_metric::replay::Replay::work
const HURRIED_WORK_A_RANK: u64 = 1 << 12;
const FAST_WORK_A_RANK: u64 = 1 << 13;
const LEAST_RANKS: usize = 256;

/// What is settled at the end of a search.
pub(super) struct Settling<'a> {
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
    pub(super) request: &'a Request,
    pub(super) team: &'a dyn Team,
}

/// The candidates, and what they are compared with, their times by one predictor.
pub(super) struct Settled {
    pub(super) candidates: Vec<Candidate>,
    /// Index of the winner.
    pub(super) best: usize,
    block: Valued,
    launched: Option<Valued>,
    predicted: Predicted,
}

impl Settling<'_> {
    /// Assesses what is published together.
    pub(super) fn settled(
        &self,
        judged: Judged,
        block: Placement,
        launched: Option<Placement>,
    ) -> Settled {
        let Judged {
            mut candidates,
            mut best,
            finalists,
        } = judged;
        let effort = self.request.searched_effort();
        let assessor = Assessor::on(self.graph, self.machine).replaying_within(self.most_work());
        let assessed = |placement| self.assessed(&candidates, &assessor, placement);
        let mut compared: Vec<Assessment> = vec![assessed(block)];
        compared.extend(launched.map(assessed));
        let references = compared.len();
        let decides = self.request.objective.is_predicted_time();
        let doubts = Doubts::of(self.graph, self.machine, self.request.objective)
            .replaying_within(self.most_work());
        let contender = match best {
            0 if decides && finalists.is_none() => contender(&candidates, &doubts),
            0 => None,
            best => Some(best),
        };
        let stay_and_winner: Vec<usize> = [0].into_iter().chain(contender).collect();
        for &number in &stay_and_winner {
            compared.extend(solution(&candidates[number]).map(|it| it.assessment.clone()));
        }
        let predicted = assessor.predict(&mut compared.iter_mut().collect::<Vec<_>>());
        let valued = |assessment| {
            Valued::of(
                (self.graph, self.machine),
                self.request.objective,
                assessment,
            )
        };
        let of_candidates = compared.split_off(references);
        let is_replayed = matches!(predicted, Predicted::Replayed(_));
        for (number, candidate) in candidates.iter_mut().enumerate() {
            let Ok(solution) = &mut candidate.outcome else {
                continue;
            };
            let place = stay_and_winner.iter().position(|&it| it == number);
            match place {
                Some(place) => solution.take(valued(of_candidates[place].clone())),
                None if is_replayed && finalists.is_none() => solution.is_finalist &= !decides,
                None if is_replayed => {}
                None => solution.take(valued(solution.assessment.clone().by_formula())),
            }
        }
        if decides
            && is_replayed
            && finalists.is_none()
            && let Some(contender) = contender
            && let (Some(stay), Some(it)) =
                (solution(&candidates[0]), solution(&candidates[contender]))
        {
            let is_better = doubts.is_gain(it, stay) && doubts.hold_for(it, stay);
            best = if is_better { contender } else { 0 };
        }
        let mut references = compared.into_iter();
        let block = references.next().expect("block order comes first");
        let block = self.with_paths(&mut candidates, best, block);
        Settled {
            block: valued(block),
            launched: references.next().map(valued),
            candidates,
            best,
            predicted: match predicted {
                Predicted::Replayed(_) => Predicted::Replayed(finalists.unwrap_or(1)),
                Predicted::TooMuchWork if effort < Effort::Balanced => Predicted::TooLittleEffort,
                other => other,
            },
        }
    }

    /// The work that each replay may take.
    fn most_work(&self) -> u64 {
        let ranks = self.graph.ranks().max(LEAST_RANKS) as u64;
        match self.request.searched_effort() {
            Effort::Hurried => HURRIED_WORK_A_RANK * ranks,
            Effort::Fast => FAST_WORK_A_RANK * ranks,
            Effort::Balanced | Effort::Best => MOST_WORK,
        }
    }

    /// The figures of a placement. Where the candidate that stays is the same, they are known.
    fn assessed(
        &self,
        candidates: &[Candidate],
        assessor: &Assessor<'_>,
        placement: Placement,
    ) -> Assessment {
        let stay = candidates.first().and_then(solution);
        match stay.filter(|stay| *stay.placement() == placement) {
            Some(stay) => stay.assessment.clone(),
            None => assessor.by_formula(placement),
        }
    }

    /// Adds congestion over all shortest paths to the winner, and to block order, which is
    /// returned.
    fn with_paths(
        &self,
        candidates: &mut [Candidate],
        best: usize,
        block: Assessment,
    ) -> Assessment {
        let Ok(winner) = &mut candidates[best].outcome else {
            return block;
        };
        let assessor = Assessor::on(self.graph, self.machine);
        let most_steps = most_steps(self.request.effort);
        let both = [block.placement(), winner.placement()];
        let found = dealt(self.team, 2, |number| {
            assessor.all_paths(both[number], most_steps)
        });
        winner.assessment = winner.assessment.clone().with_paths(found[1]);
        block.with_paths(found[0])
    }
}

/// The best of all candidates but the one that stays, by the formula `T`.
fn contender(candidates: &[Candidate], doubts: &Doubts<'_>) -> Option<usize> {
    let stay = solution(candidates.first()?)?;
    let solved =
        (1..candidates.len()).filter_map(|number| Some((number, solution(&candidates[number])?)));
    let mut solved: Vec<(usize, &Solution)> = solved.collect();
    solved.sort_by(|a, b| compare(a.1, b.1));
    let ranked = solved.into_iter().map(|(number, _)| number).collect();
    let holds = |number: &usize| {
        let placement = solution(&candidates[*number]).map(Solution::placement);
        placement.is_some_and(|it| doubts.hold_by_formula([it, stay.placement()]))
    };
    doubts
        .ordered(candidates, ranked, stay)
        .into_iter()
        .find(holds)
}

fn solution(candidate: &Candidate) -> Option<&Solution> {
    candidate.outcome.as_ref().ok()
}

/// The steps that the congestion over all shortest paths may take: a small share of the time of the
/// search at each effort.
fn most_steps(effort: Effort) -> u64 {
    match effort {
        Effort::Hurried | Effort::Fast => 1 << 20,
        Effort::Balanced => 1 << 25,
        Effort::Best => 1 << 28,
    }
}

impl Settled {
    /// The same with other numbers for the ranks.
    pub(super) fn renumbered(mut self, number: impl Fn(Placement) -> Placement) -> Self {
        let renumbered = |assessment: &mut Assessment| {
            *assessment = assessment.clone().renumbered(&number);
        };
        for solution in self.candidates.iter_mut().flat_map(|it| &mut it.outcome) {
            renumbered(&mut solution.assessment);
        }
        renumbered(&mut self.block.assessment);
        if let Some(launched) = &mut self.launched {
            renumbered(&mut launched.assessment);
        }
        self
    }

    /// The selection, with what no placement is below.
    pub(super) fn selection(
        self,
        (graph, machine): (&CommGraph, &Machine),
        request: &Request,
        bounds: Bounds,
        pattern: Pattern,
        search: Duration,
    ) -> Selection {
        let value_bound = request.objective.lower_bound(&BoundsOf {
            graph,
            machine,
            hop_bytes: bounds.hop_bytes,
            congestion: bounds.congestion.congestion,
            time: bounds.time_by(self.predicted.predictor()),
        });
        Selection {
            pattern,
            objective: request.objective,
            candidates: self.candidates,
            best: self.best,
            block: self.block,
            launched: self.launched,
            bounds,
            value_bound,
            predicted: self.predicted,
            search,
        }
    }
}

impl Selection {
    /// What a search for an order of hosts has found, as placements of ranks with the figures of
    /// ranks. `placed` makes a placement of ranks of one of hosts.
    pub(super) fn of_ranks(
        self,
        case: &Case<'_>,
        request: &Request,
        team: &dyn Team,
        placed: &dyn Fn(&Placement) -> Placement,
    ) -> Self {
        let (graph, machine) = (&*case.graph, case.machine);
        let assessor = Assessor::new(case);
        let mut candidates = self.candidates;
        for solution in candidates.iter_mut().flat_map(|it| &mut it.outcome) {
            let assessment = assessor.by_formula(placed(solution.placement()));
            solution.take(Valued::of((graph, machine), request.objective, assessment));
        }
        let judged = Judged {
            candidates,
            best: self.best,
            finalists: None,
        };
        let settling = Settling {
            graph,
            machine,
            request,
            team,
        };
        let settled = settling.settled(judged, case.block(), case.launch().cloned());
        let bounds = Bounds {
            // What cells can reach apart, ranks of several slots perhaps cannot.
            is_optimum: self.bounds.is_optimum && case.constraints.sizes().are_one(),
            ..Bounds::knowing(
                graph,
                machine,
                self.bounds.hop_bytes,
                request.bound_effort(),
            )
        };
        settled.selection((graph, machine), request, bounds, self.pattern, self.search)
    }
}
