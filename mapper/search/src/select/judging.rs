//! From placements to candidates: metrics, values, the winner.

use super::Request;
use super::finalists::Final;
use super::outcome::{Candidate, Judgement, Solution};
use super::replayed::Replayed;
use super::run::Run;
use crate::heuristic::Effort;
use crate::objective::Judged;
use crate::team::{Team, dealt};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::Replay;
use rankfold_metric::{self as metric, Score};

/// What placements are judged by, and who judges.
pub(super) struct Judging<'a> {
    /// The graph whose ranks the placements place.
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
    pub(super) request: &'a Request,
    pub(super) team: &'a dyn Team,
}

/// All candidates, judged.
pub(super) struct Judgements {
    pub(super) candidates: Vec<Candidate>,
    /// Index of the winner.
    pub(super) best: usize,
    /// Block order: its metrics, and what it is worth by the objective.
    pub(super) baseline: Score,
    pub(super) baseline_value: f64,
    pub(super) replayed: Replayed,
    pub(super) winners_replay: Option<Replay>,
}

impl Judging<'_> {
    /// Judges the runs beside block order, `block`. Of a heuristic that was asked for by name, only
    /// the best run is a candidate, and block order is none.
    pub(super) fn all(&self, runs: Vec<Run>, block: &Placement, is_named: bool) -> Judgements {
        let (graph, machine) = (self.graph, self.machine);
        let objective = self.request.objective;
        let as_launched = Solution::judged((graph, machine), objective, block.clone());
        let mut baseline = as_launched.score.clone();
        let judged = dealt(self.team, runs.len(), |number| {
            let placement = runs[number].placement()?;
            Some(Judgement::of((graph, machine), objective, placement))
        });
        let finished = runs.into_iter().zip(judged);
        let finished = finished.map(|(run, judgement)| run.finish(judgement));
        let mut candidates: Vec<Candidate> = finished.collect();
        if !is_named {
            candidates.insert(0, Candidate::block_order(as_launched));
        }
        let last_round = Final {
            graph,
            machine,
            objective,
            effort: self.request.searched_effort(),
            seed: self.request.seed,
            refines: self.request.refine,
            is_timed: self.request.time.is_some(),
            is_named,
        };
        let (replayed, mut replays) = last_round.hold(&mut candidates, (block, &mut baseline));
        let baseline_value = objective.value(&Judged {
            graph,
            machine,
            placement: block,
            score: &baseline,
        });
        let mut best = last_round.winner(&candidates, &baseline);
        let winners_replay = replays.swap_remove(best);
        if is_named {
            candidates = vec![candidates.swap_remove(best)];
            best = 0;
        }
        if let Ok(winner) = &mut candidates[best].outcome {
            let both = [block, &winner.placement];
            let found = dealt(self.team, 2, |number| self.all_paths(both[number]));
            (baseline.max_congestion_amp, winner.score.max_congestion_amp) = (found[0], found[1]);
        }
        Judgements {
            candidates,
            best,
            baseline,
            baseline_value,
            replayed,
            winners_replay,
        }
    }

    /// The congestion over all shortest paths, where that does not take too long.
    fn all_paths(&self, placement: &Placement) -> Option<f64> {
        let most_steps = most_steps(self.request.effort);
        metric::all_minimal_paths_congestion(self.graph, self.machine, placement, most_steps)
    }
}

/// The steps that the congestion over all shortest paths may take: a small share of the time of the
/// search at each effort. Chosen by hand; not measured.
fn most_steps(effort: Effort) -> u64 {
    match effort {
        Effort::Hurried | Effort::Fast => 1 << 20,
        Effort::Balanced => 1 << 25,
        Effort::Best => 1 << 28,
    }
}
