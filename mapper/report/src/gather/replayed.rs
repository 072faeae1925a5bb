//! Predicted times by replays of the placements.

use super::NamedPlacement;
use crate::data::Side;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::ReplayModel;

/// Replays the placements, whose sides then tell the replayed times. All sides keep the times by
/// the formula `T` if one of them takes too long to replay, since their times are compared.
pub(super) fn predict(
    sides: &mut [Side],
    graph: &CommGraph,
    machine: &Machine,
    shown: &[NamedPlacement<'_>],
) {
    let replay = |shown: &NamedPlacement<'_>| {
        let model = ReplayModel::new(shown.graph.unwrap_or(graph), machine)?;
        let replays = model.replay_all(&[shown.placement])?;
        Some(replays.first()?.total)
    };
    let Some(totals) = shown.iter().map(replay).collect::<Option<Vec<f64>>>() else {
        return;
    };
    for (side, total) in sides.iter_mut().zip(totals) {
        let figures = &mut side.figures;
        figures.score.time = figures.score.time.with_replay(total);
        figures.predicted_time = figures.score.time.total();
        figures.predicted_by = figures.score.time.predictor();
    }
}
