//! The order in which ranks go from partner to partner.
//!
//! The result is a turn for every message: a rank carries out its turns in ascending order, and a
//! message belongs to the same turn of its sender and its receiver. So ranks never wait for each
//! other in a circle: of all turns that are not done, all ranks get to the lowest one.

mod as_profiled;
mod by_number;
#[cfg(test)]
mod tests;

use super::messages::ExchangeMessage;
use rankfold_graph::CommGraph;

/// The turn of every message: by the order that the graph gives for each rank, or by the numbers of
/// the ranks where it gives none. `messages` are those of the graph, in the order of its pairs.
pub(super) fn turns(graph: &CommGraph, messages: &[ExchangeMessage]) -> Vec<u32> {
    as_profiled::turns(graph, messages).unwrap_or_else(|| by_number::turns(graph.ranks(), messages))
}
