//! Congestion: the busiest channel.

use super::{Aim, Anneal, Judged, Objective};
use rankfold_model::comm::CommGraph;

/// Share of the mean transfer in the anneals: placements with fewer hop-bytes have more ways to
/// unload a channel.
const SHARE: f64 = 0.25;

/// Lowest maximum congestion under the machine's own routing.
#[derive(Debug)]
pub struct Congestion;

impl Objective for Congestion {
    fn name(&self) -> &'static str {
        "congestion"
    }

    fn summary(&self) -> &'static str {
        "highest bytes over bandwidth of a channel, under the machine's own routing"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.max_congestion
    }

    fn anneal(&self, _: &CommGraph) -> Option<Anneal> {
        Some(Anneal::Congestion(SHARE))
    }

    fn aim(&self, _: &CommGraph) -> Option<Aim> {
        Some(Aim::Congestion)
    }
}
