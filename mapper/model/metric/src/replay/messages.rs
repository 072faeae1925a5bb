//! The messages of one exchange of a program, as a replay sends them.

use crate::time::TimeModel;
use rankfold_base::Rank;
use rankfold_graph::CommGraph;
use rankfold_machine::{Machine, Timing};

/// What one rank sends to another in one exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExchangeMessage {
    pub(super) from: Rank,
    pub(super) to: Rank,
    /// Bytes, weighted by what links achieve for messages of this size.
    pub(super) bytes: f64,
    /// Time that each of the two ranks is busy with the message.
    pub(super) busy: f64,
    /// What the latencies on the route are multiplied by.
    pub(super) latency_factor: f64,
    /// Whether the message is sent before its receiver is ready for it.
    pub(super) is_eager: bool,
}

/// All messages of one of `exchanges` equal exchanges, in the order of the graph's pairs.
///
/// A pair with fewer messages than there are exchanges has a part of a message in each. A pair with
/// more sends them at once: their latencies pass together.
pub(super) fn of_one_exchange(
    graph: &CommGraph,
    machine: &Machine,
    exchanges: f64,
) -> Vec<ExchangeMessage> {
    let timing = machine.timing();
    let model = TimeModel::new(graph, machine, graph.exchange());
    let ranks = || (0..graph.ranks()).map(Rank::at);
    let weighted = ranks().flat_map(|rank| model.graph().sent_by(rank));
    let counted = ranks().flat_map(|from| {
        let sent = graph.sent_with_messages(from);
        sent.map(move |(to, bytes, messages)| (from, to, bytes as f64 / messages, messages))
    });
    let pairs = counted.zip(weighted);
    pairs
        .map(|((from, to, size, messages), (_, bytes))| {
            let messages = messages / exchanges;
            ExchangeMessage {
                from,
                to,
                bytes: bytes as f64 / exchanges,
                busy: messages * timing.overhead,
                latency_factor: messages.min(1.0) * latency_factor(timing, size),
                is_eager: size <= timing.eager_limit as f64,
            }
        })
        .collect()
}

fn latency_factor(timing: &Timing, size: f64) -> f64 {
    timing.by_size.row(size).map_or(1.0, |row| row.latency)
}
