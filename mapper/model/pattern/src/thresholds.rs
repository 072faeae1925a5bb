//! Thresholds: pairs with fewer bytes are too light to belong to the pattern.
//!
//! Idea: different kinds of traffic have clearly different weights, so thresholds are placed in the
//! widest gaps (as ratios) between consecutive weights. The method is the project's own. Cost:
//! O(pairs log pairs).

use super::traffic::{Pair, PairTraffic};

/// Least ratio of consecutive weights that separates different kinds of traffic. Chosen by hand
/// (see [thresholds](super#thresholds-and-their-evidence)).
const GAP: f64 = 3.0;

/// Most thresholds tried in addition to none. Chosen by hand.
const MOST: usize = 3;

/// Least share of the bytes above a threshold. Chosen by hand.
const LEFT: f64 = 0.5;

/// Least bytes of a pair, for each threshold: 0 first, then the weights above the widest gaps.
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
