//! What no placement of a case is below.

use crate::case::Case;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::replay::time_bound;
use rankfold_metric::time::{KnownBounds, Predictor, Time};
use rankfold_metric::{self as metric, BoundEffort, CongestionBound};
use std::borrow::Cow;

/// Certified lower bounds: no placement is below any of them.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// No placement has fewer hop-bytes.
    pub hop_bytes: u128,
    /// Whether some placement has as few: proved by branch and bound.
    pub is_optimum: bool,
    /// No placement has a lower highest congestion.
    pub congestion: CongestionBound,
    /// No placement has a shorter predicted time, in any of its parts.
    pub time: Time,
}

impl Bounds {
    /// The bounds of a case.
    #[must_use]
    pub fn of(case: &Case<'_>, effort: BoundEffort) -> Self {
        let (graph, machine) = (&*case.graph, case.machine);
        let hop_bytes = metric::lower_bound(graph, machine, effort).hop_bytes;
        Self::knowing(graph, machine, hop_bytes, effort)
    }

    /// The bounds that follow from a bound on hop-bytes.
    #[must_use]
    pub fn knowing(
        graph: &CommGraph,
        machine: &Machine,
        hop_bytes: u128,
        effort: BoundEffort,
    ) -> Self {
        // Loads and times depend on links, whatever distances count.
        let links = machine.by_links();
        let over_links = match &links {
            Cow::Borrowed(_) => hop_bytes,
            Cow::Owned(links) => metric::lower_bound(graph, links, effort).hop_bytes,
        };
        let congestion = metric::congestion_bound(graph, &links, over_links, effort);
        let known = KnownBounds {
            hop_bytes: over_links,
            congestion: congestion.congestion,
            effort,
        };
        Self {
            hop_bytes,
            is_optimum: false,
            congestion,
            time: time_bound(graph, &links, known),
        }
    }

    /// No placement has a shorter time by this predictor.
    #[must_use]
    pub fn time_by(&self, predictor: Predictor) -> f64 {
        self.time.bound_of(predictor)
    }
}
