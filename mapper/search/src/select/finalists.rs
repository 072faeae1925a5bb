//! The finalists of a selection: the placements that are replayed.
//!
//! A replay tells the time of a placement better than the formula `T`, and takes far longer. So the
//! best placements by `T` are replayed, and the replays decide among them. The placement that stays
//! where nothing better is found is replayed as well. If placements are too large to be replayed,
//! `T` decides as well, and the selection says so.

use super::choice;
use super::critical_moves::{self, CriticalMoves};
use super::outcome::{Candidate, Solution, Valued};
use rankfold_assess::{Assessment, Assessor, Constraints};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::{MOST_WORK, NoReplay, Replay, ReplayModel};
use rankfold_problem::heuristic::{Diagnostics, Effort};
use rankfold_problem::objective::Objective;
use std::time::Instant;

/// The most placements that are replayed, besides block order.
const FINALISTS: usize = 12;

/// The work that all replays and moves together may take for each rank, see [`Replay::work`].
/// Measured when it was set: 256 ranks take 0.25 seconds of processor time for it, and a search at
/// effort balanced 0.7.
const WORK_A_RANK: u64 = 1 << 15;

/// Searches take no less time for fewer ranks: they have the work of so many. Measured when it was
/// set: searches for 64 and for 128 ranks at effort balanced took 0.5 to 0.8 seconds, too.
const LEAST_RANKS: usize = 256;

/// The share of that work that one replay may take is 1 over this number, so that not much is lost
/// where placements are too large to be replayed.
const REPLAYS: u64 = 4;

/// [Critical moves](super::critical_moves) have the work that replays leave over, and at the
/// highest effort, unless a search is timed, so many times as much as all replays on top.
const LONG_MOVES: u64 = 16;

/// A placement whose `T` is above the best one's by more than this share is not replayed. Measured
/// for what `T` predicts of placements, against simulated time: it is off by 3 to 15 % in the
/// median of the cases.
const NEAR: f64 = 0.25;

/// Replays of the placement that stays, and of candidates by their numbers.
struct Replays {
    of_stay: Replay,
    by_candidate: Vec<Option<Replay>>,
    /// The work that they have left over.
    work_left: u64,
}

/// The placements that may be replayed, and by what they are judged.
pub(super) struct Final<'a> {
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
    pub(super) constraints: &'a Constraints,
    pub(super) objective: &'static dyn Objective,
    pub(super) effort: Effort,
    pub(super) seed: u64,
    /// Whether placements are refined.
    pub(super) refines: bool,
    /// Whether the search has to end at some time.
    pub(super) is_timed: bool,
    /// Whether all candidates are runs of the heuristic that was asked for by name.
    pub(super) is_named: bool,
}

impl Final<'_> {
    /// Replays the placement that stays, `stay`, and the finalists among the candidates, where the
    /// objective is their time. Their figures and values then tell the replayed times. The replay
    /// of a finalist ends when it cannot win any more; that finalist keeps its time by `T`. What
    /// critical moves make of the best finalist becomes the last candidate.
    ///
    /// Returns the number of candidates that were replayed, or `None` where `T` decides.
    pub(super) fn hold(&self, candidates: &mut Vec<Candidate>, stay: &mut Valued) -> Option<usize> {
        if !self.objective.is_predicted_time() || self.effort < Effort::Balanced {
            return None;
        }
        let model = ReplayModel::new(self.graph, self.machine)?;
        let finalists = self.finalists(candidates, stay.assessment.placement());
        let replays = self.replays(&model, candidates, stay, &finalists)?;
        let Replays {
            of_stay,
            mut by_candidate,
            work_left,
        } = replays;
        for (candidate, replay) in candidates.iter_mut().zip(&mut by_candidate) {
            let Ok(solution) = &mut candidate.outcome else {
                continue;
            };
            if solution.placement() == stay.assessment.placement() {
                *replay = Some(of_stay.clone());
            }
            match replay.take() {
                Some(replay) => {
                    let assessment = solution.assessment.clone().by_replay(replay);
                    solution.take(self.valued(assessment));
                }
                None => solution.is_finalist = false,
            }
        }
        *stay = self.valued(stay.assessment.clone().by_replay(of_stay));
        if self.refines {
            candidates.extend(self.moved(&model, candidates, work_left));
        }
        Some(finalists.len())
    }

    /// The best finalist after critical moves; `None` if no move shortens its replay.
    fn moved(
        &self,
        model: &ReplayModel<'_>,
        candidates: &[Candidate],
        work_left: u64,
    ) -> Option<Candidate> {
        let replayed = candidates.iter().filter_map(|candidate| {
            let solution = candidate.outcome.as_ref().ok()?;
            Some((candidate, solution, solution.assessment.replay()?))
        });
        let (candidate, start, replay) = replayed.min_by(|a, b| choice::compare(a.1, b.1))?;
        let begun = Instant::now();
        let moves = CriticalMoves {
            graph: self.graph,
            machine: self.machine,
            constraints: &self.constraints.held_at(start.placement()),
            model,
            seed: self.seed,
        };
        let more = match self.effort {
            Effort::Best if !self.is_timed => LONG_MOVES,
            _ => 0,
        };
        let work = work_left + more * self.work();
        let moved = moves.moved(start.placement(), replay.clone(), work);
        if moved.kept == 0 {
            return None;
        }
        let assessor = Assessor::on(self.graph, self.machine);
        let assessment = assessor.by_formula(moved.placement).by_replay(moved.replay);
        let mut solution = Solution::new(self.valued(assessment));
        let did = Diagnostics {
            passes: moved.tried,
            moves: moved.kept,
            history: vec![start.score().hop_bytes, solution.score().hop_bytes],
            notes: Vec::new(),
        };
        solution.construction = start.construction.clone();
        solution.refinement = start.refinement.clone();
        solution.refinement.push((critical_moves::NAME, did));
        solution.seconds = start.seconds + begun.elapsed().as_secs_f64();
        Some(Candidate {
            heuristic: candidate.heuristic,
            family: candidate.family,
            outcome: Ok(solution),
        })
    }

    /// The work that all replays may take.
    fn work(&self) -> u64 {
        WORK_A_RANK * self.graph.ranks().max(LEAST_RANKS) as u64
    }

    /// Replays the placement that stays and the finalists, the best by `T` first. `None` if a
    /// replay takes too long.
    fn replays(
        &self,
        model: &ReplayModel<'_>,
        candidates: &[Candidate],
        stay: &Valued,
        finalists: &[usize],
    ) -> Option<Replays> {
        let mut left = self.work();
        let each = MOST_WORK.min(left / REPLAYS);
        let of_stay = model.replay(stay.assessment.placement(), each)?;
        left -= of_stay.work;
        let mut best = f64::INFINITY;
        let mut by_candidate: Vec<Option<Replay>> = candidates.iter().map(|_| None).collect();
        for &number in finalists {
            let Ok(solution) = &candidates[number].outcome else {
                continue;
            };
            let time = solution.assessment.time();
            let least = time.busiest_link.max(time.overhead);
            match model.replay_below(solution.placement(), best, least, each.min(left)) {
                Ok(replay) => {
                    best = best.min(replay.total);
                    left -= replay.work;
                    by_candidate[number] = Some(replay);
                }
                Err(NoReplay::NotBelow { work }) => left -= work,
                Err(NoReplay::TooMuchWork) if best < f64::INFINITY => break,
                Err(NoReplay::TooMuchWork) => return None,
            }
        }
        Some(Replays {
            of_stay,
            by_candidate,
            work_left: left,
        })
    }

    /// What a placement is worth.
    fn valued(&self, assessment: Assessment) -> Valued {
        Valued::of((self.graph, self.machine), self.objective, assessment)
    }

    /// The candidates to be replayed besides the placement that stays, by number.
    fn finalists(&self, candidates: &[Candidate], stay: &Placement) -> Vec<usize> {
        let mut numbers = self.best_by_formula(candidates);
        numbers.retain(|&number| {
            let solution = candidates[number].outcome.as_ref();
            solution.is_ok_and(|solution| solution.placement() != stay)
        });
        numbers
    }

    /// The best candidates by their values, which are `T` before replays: by number, the best
    /// first.
    fn best_by_formula(&self, candidates: &[Candidate]) -> Vec<usize> {
        let solved = candidates.iter().enumerate();
        let mut solved: Vec<(usize, &Solution)> = solved
            .filter_map(|(number, candidate)| Some((number, candidate.outcome.as_ref().ok()?)))
            .collect();
        solved.sort_by(|a, b| choice::compare(a.1, b.1).then(a.0.cmp(&b.0)));
        solved.dedup_by(|(_, next), (_, kept)| next.placement() == kept.placement());
        let best = solved.first().map_or(0.0, |(_, solution)| solution.value);
        solved.retain(|(_, solution)| self.is_named || solution.value <= (1.0 + NEAR) * best);
        solved.truncate(FINALISTS);
        solved.into_iter().map(|(number, _)| number).collect()
    }
}
