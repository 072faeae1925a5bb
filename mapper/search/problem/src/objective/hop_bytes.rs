//! Hop-bytes: what the papers minimise.

use super::{BoundsOf, Judged, Objective};
use rankfold_machine::Machine;

/// Fewest bytes x hops.
#[derive(Debug)]
pub struct HopBytes;

impl Objective for HopBytes {
    fn name(&self) -> &'static str {
        "hop-bytes"
    }

    fn summary(&self) -> &'static str {
        "sum of bytes times hops, what the papers minimise"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.hop_bytes as f64
    }

    fn printed(&self, value: f64, _: &Machine) -> String {
        format!("{value:.0}")
    }

    fn lower_bound(&self, bounds: &BoundsOf<'_>) -> Option<f64> {
        Some(bounds.hop_bytes as f64)
    }

    fn most_hop_bytes(&self, fewest: u128) -> u128 {
        fewest
    }
}
