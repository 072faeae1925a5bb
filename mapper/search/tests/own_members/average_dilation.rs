//! An objective that the crate does not have: the mean number of hops of a pair with traffic.

use rankfold_problem::objective::{BoundsOf, Judged, Objective};

#[derive(Debug)]
pub(super) struct AverageDilation;

impl Objective for AverageDilation {
    fn name(&self) -> &'static str {
        "average-dilation"
    }

    fn summary(&self) -> &'static str {
        "mean hops of a pair with traffic"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.avg_dilation
    }

    /// With one rank a node, all pairs are at least one hop apart.
    fn lower_bound(&self, bounds: &BoundsOf<'_>) -> Option<f64> {
        (bounds.machine.slots().len() == bounds.machine.slots().nodes()).then_some(1.0)
    }

    fn most_hop_bytes(&self, _: u128) -> u128 {
        u128::MAX
    }
}
