//! The hybrid metric of PTRAM.

use super::{Aim, Judged, Objective};
use rankfold_model::comm::CommGraph;

/// Lowest hybrid metric (PTRAM 2016).
#[derive(Debug)]
pub struct Hybrid;

impl Objective for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn summary(&self) -> &'static str {
        "hop-bytes, highest, mean and variance of congestion in one sum (PTRAM 2016)"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.hybrid
    }

    fn aim(&self, graph: &CommGraph) -> Option<Aim> {
        let heaviest = graph.messages().map(|message| message.bytes).max()?;
        Some(Aim::Hybrid {
            heaviest: heaviest as f64,
        })
    }
}
