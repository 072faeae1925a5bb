//! Predicted communication time: what a user waits for.

use super::{Aim, Anneal, Judged, Objective};
use rankfold_model::comm::CommGraph;

/// Shortest predicted communication time.
#[derive(Debug)]
pub struct Time;

impl Objective for Time {
    fn name(&self) -> &'static str {
        "time"
    }

    fn summary(&self) -> &'static str {
        "predicted communication time: busiest link, latency, overhead and a share of the mean transfer"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.time.total()
    }

    fn most_hop_bytes(&self, _: u128) -> u128 {
        u128::MAX
    }

    fn least_saving(&self) -> f64 {
        0.01
    }

    fn anneal(&self, graph: &CommGraph) -> Option<Anneal> {
        Some(Anneal::Time(graph.exchange()))
    }

    /// Anneals keep much of their start: one of them starts where congestion is low.
    fn aim(&self, _: &CommGraph) -> Option<Aim> {
        Some(Aim::Congestion)
    }
}
