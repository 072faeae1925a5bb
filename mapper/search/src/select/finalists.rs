//! The finalists of a selection: the placements that are replayed.
//!
//! A replay tells the time of a placement better than the formula `T`, and takes far longer. So the
//! best placements by `T` are replayed, and the replays decide among them. Block order is replayed
//! as well, since the winner is compared with it. If placements are too large to be replayed, `T`
//! decides as well, and the selection says so.

use super::choice;
use super::critical_moves::{self, CriticalMoves};
use super::outcome::{Candidate, Solution};
use super::replayed::Replayed;
use crate::heuristic::{Diagnostics, Effort};
use crate::objective::{Judged, Objective};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::Score;
use rankfold_metric::replay::{MOST_WORK, NoReplay, Replay, ReplayModel};
use std::time::Instant;

/// The most placements that are replayed, besides block order. Chosen by hand; not measured.
const FINALISTS: usize = 12;

/// The work that all replays and moves together may take for each rank, see [`Replay::work`].
/// Measured when it was set: 256 ranks take 0.25 seconds of processor time for it, and a search at
/// effort balanced 0.7.
const WORK_A_RANK: u64 = 1 << 15;

/// Searches take no less time for fewer ranks: they have the work of so many. Measured when it was
/// set: searches for 64 and for 128 ranks at effort balanced took 0.5 to 0.8 seconds, too.
const LEAST_RANKS: usize = 256;

/// The share of that work that one replay may take is 1 over this number, so that not much is lost
/// where placements are too large to be replayed. Chosen by hand; not measured.
const REPLAYS: u64 = 4;

/// [Critical moves](super::critical_moves) have the work that replays leave over, and at the
/// highest effort, unless a search is timed, so many times as much as all replays on top. Chosen by
/// hand; not measured.
const LONG_MOVES: u64 = 16;

/// A placement whose `T` is above the best one's by more than this share is not replayed. Measured
/// for what `T` predicts of placements, against simulated time: it is off by 3 to 15 % in the
/// median of the cases.
const NEAR: f64 = 0.25;

/// Replays of block order, and of candidates by their numbers.
struct Replays {
    of_block: Replay,
    by_candidate: Vec<Option<Replay>>,
    /// The work that they have left over.
    work_left: u64,
}

/// The placements that may be replayed, and by what they are judged.
pub(super) struct Final<'a> {
    pub(super) graph: &'a CommGraph,
    pub(super) machine: &'a Machine,
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
    /// Replays block order, with metrics `baseline`, and the finalists among the candidates. Their
    /// metrics and values then tell the replayed times. The replay of a finalist ends when it
    /// cannot win any more; that finalist keeps its time by `T`. What critical moves make of the
    /// best finalist becomes the last candidate.
    ///
    /// Returns the replays by candidate as well.
    pub(super) fn hold(
        &self,
        candidates: &mut Vec<Candidate>,
        (block, baseline): (&Placement, &mut Score),
    ) -> (Replayed, Vec<Option<Replay>>) {
        let none = || (0..candidates.len()).map(|_| None).collect();
        if self.effort < Effort::Balanced {
            return (Replayed::TooLittleEffort, none());
        }
        let Some(model) = ReplayModel::new(self.graph, self.machine) else {
            return (Replayed::TooManyRanks, none());
        };
        let finalists = self.finalists(candidates, baseline);
        let Some(replays) = self.replays(&model, candidates, block, &finalists) else {
            return (Replayed::TooMuchWork, none());
        };
        let Replays {
            of_block,
            mut by_candidate,
            work_left,
        } = replays;
        baseline.time = baseline.time.with_replay(of_block.total);
        let decides = self.objective.is_predicted_time();
        for (candidate, replay) in candidates.iter_mut().zip(&mut by_candidate) {
            if candidate.is_block_order() {
                *replay = Some(of_block.clone());
            }
            let Ok(solution) = &mut candidate.outcome else {
                continue;
            };
            match replay {
                Some(replay) => self.take(solution, replay.total),
                None => solution.is_finalist = !decides,
            }
        }
        if decides
            && self.refines
            && let Some((candidate, replay)) =
                self.moved(&model, candidates, &by_candidate, work_left)
        {
            candidates.push(candidate);
            by_candidate.push(Some(replay));
        }
        (Replayed::Finalists(finalists.len()), by_candidate)
    }

    /// The best finalist after critical moves, with its replay; `None` if no move shortens it.
    fn moved(
        &self,
        model: &ReplayModel<'_>,
        candidates: &[Candidate],
        replays: &[Option<Replay>],
        work_left: u64,
    ) -> Option<(Candidate, Replay)> {
        let replayed = candidates
            .iter()
            .zip(replays)
            .filter_map(|(candidate, replay)| {
                Some((
                    candidate,
                    candidate.outcome.as_ref().ok()?,
                    replay.as_ref()?,
                ))
            });
        let (candidate, start, replay) = replayed.min_by(|a, b| choice::compare(a.1, b.1))?;
        let begun = Instant::now();
        let moves = CriticalMoves {
            graph: self.graph,
            machine: self.machine,
            model,
            seed: self.seed,
        };
        let more = match self.effort {
            Effort::Best if !self.is_timed => LONG_MOVES,
            _ => 0,
        };
        let work = work_left + more * self.work();
        let moved = moves.moved(&start.placement, replay.clone(), work);
        if moved.kept == 0 {
            return None;
        }
        let problem = (self.graph, self.machine);
        let mut solution = Solution::judged(problem, self.objective, moved.placement);
        let did = Diagnostics {
            passes: moved.tried,
            moves: moved.kept,
            history: vec![start.score.hop_bytes, solution.score.hop_bytes],
            notes: Vec::new(),
        };
        self.take(&mut solution, moved.replay.total);
        solution.construction = start.construction.clone();
        solution.refinement = start.refinement.clone();
        solution.refinement.push((critical_moves::NAME, did));
        solution.seconds = start.seconds + begun.elapsed().as_secs_f64();
        let candidate = Candidate {
            heuristic: candidate.heuristic,
            family: candidate.family,
            outcome: Ok(solution),
        };
        Some((candidate, moved.replay))
    }

    /// The work that all replays may take.
    fn work(&self) -> u64 {
        WORK_A_RANK * self.graph.ranks().max(LEAST_RANKS) as u64
    }

    /// Replays block order and the finalists, the best by `T` first. `None` if a replay takes too
    /// long.
    fn replays(
        &self,
        model: &ReplayModel<'_>,
        candidates: &[Candidate],
        block: &Placement,
        finalists: &[usize],
    ) -> Option<Replays> {
        let mut left = self.work();
        let each = MOST_WORK.min(left / REPLAYS);
        let of_block = model.replay(block, each)?;
        left -= of_block.work;
        let mut best = f64::INFINITY;
        let mut by_candidate: Vec<Option<Replay>> = candidates.iter().map(|_| None).collect();
        for &number in finalists {
            let Ok(solution) = &candidates[number].outcome else {
                continue;
            };
            let time = &solution.score.time;
            let least = time.busiest_link.max(time.overhead);
            match model.replay_below(&solution.placement, best, least, each.min(left)) {
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
            of_block,
            by_candidate,
            work_left: left,
        })
    }

    /// The index of the winner. The best run of a heuristic that was asked for wins whatever its
    /// value.
    pub(super) fn winner(&self, candidates: &[Candidate], baseline: &Score) -> usize {
        if self.is_named {
            choice::best_of(candidates)
        } else {
            choice::best(candidates, self.objective, baseline)
        }
    }

    /// The candidates to be replayed besides block order, by number.
    fn finalists(&self, candidates: &[Candidate], baseline: &Score) -> Vec<usize> {
        let mut numbers = if self.objective.is_predicted_time() {
            self.best_by_formula(candidates)
        } else {
            vec![self.winner(candidates, baseline)]
        };
        numbers.retain(|&number| !candidates[number].is_block_order());
        numbers
    }

    /// Notes the replayed time of a finalist.
    fn take(&self, solution: &mut Solution, total: f64) {
        solution.score.time = solution.score.time.with_replay(total);
        solution.value = self.objective.value(&Judged {
            graph: self.graph,
            machine: self.machine,
            placement: &solution.placement,
            score: &solution.score,
        });
    }

    /// The best candidates by their values, which are `T` before replays: by number, the best
    /// first.
    fn best_by_formula(&self, candidates: &[Candidate]) -> Vec<usize> {
        let solved = candidates.iter().enumerate();
        let mut solved: Vec<(usize, &Solution)> = solved
            .filter_map(|(number, candidate)| Some((number, candidate.outcome.as_ref().ok()?)))
            .collect();
        solved.sort_by(|a, b| choice::compare(a.1, b.1).then(a.0.cmp(&b.0)));
        solved.dedup_by(|(_, next), (_, kept)| next.placement == kept.placement);
        let best = solved.first().map_or(0.0, |(_, solution)| solution.value);
        solved.retain(|(_, solution)| self.is_named || solution.value <= (1.0 + NEAR) * best);
        solved.truncate(FINALISTS);
        solved.into_iter().map(|(number, _)| number).collect()
    }
}
