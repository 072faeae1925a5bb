//! One predictor for all times of a selection, where replays are made or given up after the search.

use super::outcome::Selection;
use super::replayed::Replayed;
use rankfold_metric::replay::Replay;

impl Selection {
    /// The same selection with times by replays of block order and of the winner, which is the only
    /// other finalist then. The winner stays.
    #[must_use]
    pub fn by_replays(mut self, [block, winner]: [Replay; 2]) -> Self {
        let best = self.best;
        for (number, candidate) in self.candidates.iter_mut().enumerate() {
            let is_block_order = candidate.is_block_order();
            let Ok(solution) = &mut candidate.outcome else {
                continue;
            };
            let time = solution.score.time.by_formula();
            solution.is_finalist = number == best || is_block_order;
            solution.score.time = match (number == best, is_block_order) {
                (true, _) => time.with_replay(winner.total),
                (false, true) => time.with_replay(block.total),
                (false, false) => time,
            };
        }
        self.baseline.time = self.baseline.time.with_replay(block.total);
        self.winners_replay = Some(winner);
        self.replayed = Replayed::Finalists(1);
        self.valued_by_times()
    }

    /// The same selection with times by the formula `T`, because a placement that it is compared
    /// with takes too long to replay. The winner stays.
    #[must_use]
    pub fn by_formula(mut self) -> Self {
        let solutions = self.candidates.iter_mut().flat_map(|it| &mut it.outcome);
        for solution in solutions {
            solution.score.time = solution.score.time.by_formula();
        }
        self.baseline.time = self.baseline.time.by_formula();
        self.winners_replay = None;
        self.replayed = Replayed::TooMuchWork;
        self.valued_by_times()
    }

    /// Where the objective is predicted time: values and their bound are those of the times.
    fn valued_by_times(mut self) -> Self {
        if !self.objective.is_predicted_time() {
            return self;
        }
        let solutions = self.candidates.iter_mut().flat_map(|it| &mut it.outcome);
        for solution in solutions {
            solution.value = solution.score.time.total();
        }
        self.baseline_value = self.baseline.time.total();
        let bound = self.time_bound.bound_of(self.replayed.predictor());
        self.value_bound = Some(bound);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::Effort;
    use crate::select::{Request, Verdict, select};
    use crate::testing::{machine, shuffled, star_stencil};
    use rankfold_base::Placement;
    use rankfold_metric::replay::{MOST_WORK, ReplayModel};
    use rankfold_metric::time::{Predictor, Time};

    /// Predictor and total of block order and of the winner, and their values.
    fn told(selection: &Selection) -> ([Predictor; 2], [f64; 2], [f64; 2]) {
        let winner = selection.winner().1;
        let times: [&Time; 2] = [&selection.baseline.time, &winner.score.time];
        (
            times.map(Time::predictor),
            times.map(Time::total),
            [selection.baseline_value, winner.value],
        )
    }

    #[test]
    fn replays_after_a_search_and_times_without_them_are_of_one_predictor() {
        let graph = shuffled(&star_stencil(&[4, 4], true));
        let machine = machine("torus:4x4@1GB/s+1us/ties=source", 1);
        let request = Request {
            effort: Effort::Fast,
            ..Request::default()
        };
        let selection = select(&graph, &machine, &request).unwrap();
        let (predictors, by_formula, _) = told(&selection);
        assert_eq!(predictors, [Predictor::T; 2]);
        let model = ReplayModel::new(&graph, &machine).unwrap();
        let block = Placement::block(16);
        let both = [&block, &selection.winner().1.placement];
        let replays = both.map(|placement| model.replay(placement, MOST_WORK).unwrap());
        let totals = [replays[0].total, replays[1].total];
        assert_ne!(totals, by_formula);

        let replayed = selection.by_replays(replays);
        assert_eq!(told(&replayed), ([Predictor::Replay; 2], totals, totals));
        assert!(replayed.value_bound.unwrap() <= totals[1]);
        let others = replayed.explain();
        let is_compared = |verdict| matches!(verdict, Verdict::Beaten { .. } | Verdict::Tied);
        assert!(!others[1..].iter().any(|other| is_compared(other.verdict)));

        let again = replayed.by_formula();
        assert_eq!(told(&again), ([Predictor::T; 2], by_formula, by_formula));
        assert!(again.winners_replay.is_none());
    }
}
