//! The hybrid metric: the sum of hop-bytes, maximum congestion, and average and variance of the
//! non-zero congestion.
//!
//! Source: Mirsadeghi & Afsahi, "PTRAM: A Parallel Topology- and Routing-Aware Mapping Framework
//! for Large-Scale HPC Systems", 2016, section IV.A, equation 3.

use super::Score;
use rankfold_graph::CommGraph;

/// The plain sum of the paper, with weights relative to the heaviest message; 0 without traffic.
///
/// The variance is in squared weights, so the sum depends on the scale of the weights. It can only
/// compare placements of the same graph.
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

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_base::Rank;
    use rankfold_graph::Message;

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
}
