//! The hybrid metric: the sum of hop-bytes, maximum congestion, and average and variance of the
//! non-zero congestion.
//!
//! Source: Mirsadeghi & Afsahi, "PTRAM: A Parallel Topology- and Routing-Aware Mapping Framework
//! for Large-Scale HPC Systems", 2016, section IV.A, equation 3.

use super::Score;
use rankfold_base::ChannelId;
use rankfold_graph::CommGraph;
use rankfold_machine::Topology;

/// The plain sum of the paper, with weights relative to the heaviest message and congestion as if
/// the `slowest` link had bandwidth 1; 0 without traffic.
///
/// So the sum depends neither on the unit of bytes nor on that of bandwidths: the paper adds bytes
/// to bytes over bandwidth, which are seconds where bandwidths have a unit. The sum can only
/// compare placements of the same graph on the same machine.
#[must_use]
pub fn hybrid(graph: &CommGraph, score: &Score, slowest: f64) -> f64 {
    let Some(heaviest) = graph.messages().map(|m| m.bytes).max() else {
        return 0.0;
    };
    let unit = heaviest as f64;
    score.hop_bytes as f64 / unit
        + (score.max_congestion + score.nz_avg) * slowest / unit
        + score.nz_var * (slowest / unit).powi(2)
}

/// The lowest bandwidth of a link; 1 without links.
#[must_use]
pub fn slowest_bandwidth(topology: &dyn Topology) -> f64 {
    let channels = 0..topology.channels();
    let bandwidths = channels.map(|channel| topology.bandwidth(ChannelId::at(channel)));
    let slowest = bandwidths.fold(f64::INFINITY, f64::min);
    if slowest.is_finite() { slowest } else { 1.0 }
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
            hybrid(&graph, &score(30, 20.0, 10.0, 300.0), 1.0),
            3.0 + 2.0 + 1.0 + 3.0
        );
    }
}
