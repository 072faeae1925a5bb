//! The figures of placements, their times by one predictor.

use crate::assessment::{AllPaths, Assessment};
use crate::case::Case;
use crate::predicted::Predicted;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric as metric;
use rankfold_metric::replay::{MOST_WORK, Replay, ReplayModel};
use rayon::prelude::*;

/// What predicts times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PredictBy {
    /// Replays, where all that are needed can be made within their work; else the formula `T`.
    #[default]
    Affordable,
    /// Replays, however much work they are, where there are not too many ranks.
    Replay,
    /// The formula `T`.
    Formula,
}

/// Computes the figures of placements of one graph on one machine.
#[derive(Clone, Copy, Debug)]
pub struct Assessor<'a> {
    graph: &'a CommGraph,
    machine: &'a Machine,
    by: PredictBy,
    most_work: u64,
}

impl<'a> Assessor<'a> {
    /// An assessor of the placements of a case. Each replay takes [`MOST_WORK`] at most.
    #[must_use]
    pub fn new(case: &'a Case<'_>) -> Self {
        Self::on(&case.graph, case.machine)
    }

    /// The same for a search, which numbers the ranks of the case's graph as it likes.
    #[must_use]
    pub fn on(graph: &'a CommGraph, machine: &'a Machine) -> Self {
        Self {
            graph,
            machine,
            by: PredictBy::Affordable,
            most_work: MOST_WORK,
        }
    }

    /// The same with times by one predictor.
    #[must_use]
    pub fn predicting(self, by: PredictBy) -> Self {
        Self { by, ..self }
    }

    /// The same with other work for each replay: see [`Replay::work`].
    #[must_use]
    pub fn replaying_within(self, most_work: u64) -> Self {
        Self { most_work, ..self }
    }

    /// The figures of placements, and what all their times come from.
    #[must_use]
    pub fn assess(&self, placements: &[&Placement]) -> (Vec<Assessment>, Predicted) {
        let mut all: Vec<Assessment> = placements
            .iter()
            .map(|placement| self.by_formula((*placement).clone()))
            .collect();
        let predicted = self.predict(&mut all.iter_mut().collect::<Vec<_>>());
        (all, predicted)
    }

    /// The figures of one placement, its time by the formula `T`.
    #[must_use]
    pub fn by_formula(&self, placement: Placement) -> Assessment {
        let score = metric::score_of_routes(self.graph, self.machine, &placement);
        Assessment::new(placement, score)
    }

    /// The congestion of a placement over all shortest paths, where that takes so many steps at
    /// most: see [`metric::all_minimal_paths_congestion`].
    #[must_use]
    pub fn all_paths(&self, placement: &Placement, most_steps: u64) -> AllPaths {
        let (graph, machine) = (self.graph, self.machine);
        AllPaths(metric::all_minimal_paths_congestion(
            graph, machine, placement, most_steps,
        ))
    }

    /// Gives assessments that are compared their times by one predictor. Replays that they have
    /// already are not made again.
    pub fn predict(&self, compared: &mut [&mut Assessment]) -> Predicted {
        let (replays, predicted) = self.replays(compared);
        for (number, assessment) in compared.iter_mut().enumerate() {
            let now = (**assessment).clone();
            **assessment = match replays.as_ref().map(|all| all[number].clone()) {
                Some(replay) => now.by_replay(replay),
                None => now.by_formula(),
            };
        }
        predicted
    }

    /// The replays of all that is compared, or `None` with the reason.
    fn replays(&self, compared: &[&mut Assessment]) -> (Option<Vec<Replay>>, Predicted) {
        if self.by == PredictBy::Formula {
            return (None, Predicted::AsAsked);
        }
        let known = |assessment: &&mut Assessment| assessment.replay().cloned();
        if let Some(all) = compared.iter().map(known).collect() {
            return (Some(all), Predicted::Replayed(1));
        }
        let Some(model) = ReplayModel::new(self.graph, self.machine) else {
            return (None, Predicted::TooManyRanks);
        };
        let most_work = match self.by {
            PredictBy::Replay => u64::MAX,
            _ => self.most_work,
        };
        // A placement that stands in several columns is replayed once.
        let first = |assessment: &Assessment| {
            let placement = assessment.placement();
            let same = compared
                .iter()
                .position(|other| other.placement() == placement);
            same.expect("it stands at its own number")
        };
        let made: Vec<Option<Replay>> = (0..compared.len())
            .into_par_iter()
            .map(|number| match compared[number].replay() {
                Some(replay) => Some(replay.clone()),
                None if first(compared[number]) < number => None,
                None => model.replay(compared[number].placement(), most_work),
            })
            .collect();
        let replay = |(number, made_here): (usize, &Option<Replay>)| {
            let made_first = || made[first(compared[number])].clone();
            made_here.clone().or_else(made_first)
        };
        match made.iter().enumerate().map(replay).collect() {
            Some(all) => (Some(all), Predicted::Replayed(1)),
            None => (None, Predicted::TooMuchWork),
        }
    }
}
