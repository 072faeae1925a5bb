//! Thresholds: which messages are too small to belong to the pattern.

use super::traffic::{Pair, PairTraffic};

/// Consecutive weights this far apart, as a ratio, are of different kinds of traffic.
const GAP: f64 = 3.0;

/// Thresholds tried besides none at all.
const MOST: usize = 3;

/// Share of the bytes that must be left.
const LEFT: f64 = 0.5;

/// Bytes a pair must exchange to count: 0 first, then above the widest gaps between the weights.
pub(super) fn thresholds(traffic: &PairTraffic) -> Vec<u64> {
    let mut weights: Vec<u64> = traffic.pairs.iter().map(Pair::bytes).collect();
    weights.sort_unstable();
    let all = traffic.bytes() as f64;
    let mut below = 0.0;
    let mut gaps: Vec<(f64, u64)> = Vec::new();
    for pair in weights.windows(2) {
        below += pair[0] as f64;
        let ratio = pair[1] as f64 / pair[0].max(1) as f64;
        if ratio >= GAP && below <= (1.0 - LEFT) * all {
            gaps.push((ratio, pair[1]));
        }
    }
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let above = gaps.into_iter().take(MOST).map(|(_, weight)| weight);
    std::iter::once(0).chain(above).collect()
}
