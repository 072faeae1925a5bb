//! The hybrid metric of PTRAM ("Process-topology-aware mapping", 2016): hop-bytes, maximum congestion,
//! non-zero congestion average and variance in one number.

use super::Score;
use crate::comm::CommGraph;

/// The paper's plain sum, on relative weights: the heaviest message weighs 1.
///
/// The variance is in squared weights, so the sum depends on the scale; it compares placements of one
/// graph, nothing else. 0 without traffic.
#[must_use]
pub fn hybrid(graph: &CommGraph, score: &Score) -> f64 {
    let Some(heaviest) = graph.messages().map(|m| m.bytes).max() else {
        return 0.0;
    };
    let unit = heaviest as f64;
    score.hop_bytes as f64 / unit
        + score.max_congestion / unit
        + score.nz_avg / unit
        + score.nz_var / unit / unit
}

/// Ours: the mean of the four terms, each divided by its value for `baseline`, so that no unit decides.
///
/// 1 means as good as the baseline. Terms that are 0 for the baseline are left out; without any, 1.
#[must_use]
pub fn hybrid_against(score: &Score, baseline: &Score) -> f64 {
    let terms = |s: &Score| [s.hop_bytes as f64, s.max_congestion, s.nz_avg, s.nz_var];
    let ratios: Vec<f64> = terms(score)
        .into_iter()
        .zip(terms(baseline))
        .filter(|&(_, base)| base > 0.0)
        .map(|(term, base)| term / base)
        .collect();
    if ratios.is_empty() {
        return 1.0;
    }
    ratios.iter().sum::<f64>() / ratios.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Message;
    use crate::ids::Rank;

    fn score(hop_bytes: u128, max: f64, avg: f64, var: f64) -> Score {
        Score {
            hop_bytes,
            max_congestion: max,
            nz_avg: avg,
            nz_var: var,
            ..Score::default()
        }
    }

    #[test]
    fn the_sum_is_taken_on_weights_relative_to_the_heaviest_message() {
        let messages = [(0, 1, 10), (1, 0, 5)].map(|(from, to, bytes)| Message {
            from: Rank(from),
            to: Rank(to),
            bytes,
        });
        let graph = CommGraph::from_messages(2, messages).unwrap();
        assert_eq!(
            hybrid(&graph, &score(30, 20.0, 10.0, 300.0)),
            3.0 + 2.0 + 1.0 + 3.0
        );
    }

    #[test]
    fn a_baseline_without_variance_leaves_that_term_out() {
        let baseline = score(100, 10.0, 4.0, 0.0);
        assert_eq!(hybrid_against(&baseline, &baseline), 1.0);
        assert_eq!(hybrid_against(&score(50, 5.0, 2.0, 9.0), &baseline), 0.5);
    }
}
