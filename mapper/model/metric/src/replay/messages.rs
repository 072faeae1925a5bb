//! The messages of one exchange of a program, as a replay sends them.

use crate::time::TimeModel;
use rankfold_base::Rank;
use rankfold_graph::{CommGraph, ProgramTurns};
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
    let pairs = pairs(graph, machine).into_iter();
    pairs
        .map(|pair| message(&pair, timing, pair.messages / exchanges, 1.0 / exchanges))
        .collect()
}

/// All messages of one exchange in turns, in the order of `turns`.
pub(super) fn in_turns(
    graph: &CommGraph,
    machine: &Machine,
    turns: &ProgramTurns,
) -> Vec<ExchangeMessage> {
    let (timing, pairs) = (machine.timing(), pairs(graph, machine));
    let of_turns = turns.messages.iter().map(|it| {
        let place = pairs.binary_search_by_key(&(it.from, it.to), |pair| (pair.from, pair.to));
        let pair = &pairs[place.expect("turns are those of pairs of the graph")];
        message(pair, timing, it.messages, it.share / turns.exchanges)
    });
    of_turns.collect()
}

/// What one rank sends to another in the whole run.
struct Pair {
    from: Rank,
    to: Rank,
    bytes: f64,
    /// Bytes, weighted by what links achieve for messages of this size.
    weighted: f64,
    messages: f64,
}

/// All pairs, in the order of the graph.
fn pairs(graph: &CommGraph, machine: &Machine) -> Vec<Pair> {
    let model = TimeModel::new(graph, machine, graph.exchange());
    let ranks = || (0..graph.ranks()).map(Rank::at);
    let weighted = ranks().flat_map(|rank| model.graph().sent_by(rank));
    let counted = ranks().flat_map(|from| {
        let sent = graph.sent_with_messages(from);
        sent.map(move |(to, bytes, messages)| (from, to, bytes as f64, messages))
    });
    let pairs = counted.zip(weighted);
    pairs
        .map(|((from, to, bytes, messages), (_, weighted))| Pair {
            from,
            to,
            bytes,
            weighted: weighted as f64,
            messages,
        })
        .collect()
}

/// `messages` messages of a pair with this share of its bytes.
fn message(pair: &Pair, timing: &Timing, messages: f64, share: f64) -> ExchangeMessage {
    let size = pair.bytes * share / messages;
    ExchangeMessage {
        from: pair.from,
        to: pair.to,
        bytes: pair.weighted * share,
        busy: messages * timing.overhead,
        latency_factor: messages.min(1.0) * latency_factor(timing, size),
        is_eager: size <= timing.eager_limit as f64,
    }
}

fn latency_factor(timing: &Timing, size: f64) -> f64 {
    timing.by_size.row(size).map_or(1.0, |row| row.latency)
}
