//! The graph with bytes and messages weighted by what links achieve for messages of their size.

use rankfold_graph::CommGraph;
use rankfold_machine::BySize;
use std::borrow::Cow;

/// Divides the bytes of every pair by the share of bandwidth, and multiplies its messages by the
/// latency factor, both for its mean message size.
///
/// Bytes are rounded to whole numbers of at least 1, so that loads are exact integers. The weighted
/// bytes of all pairs still fit 63 bits, since no weight exceeds 2^63 over the sum of all bytes.
pub(super) fn weighted_by_size<'a>(graph: &'a CommGraph, by_size: &BySize) -> Cow<'a, CommGraph> {
    if by_size.rows().is_empty() {
        return Cow::Borrowed(graph);
    }
    let most = match graph.total_bytes() {
        0 => 1.0,
        total => (i64::MAX as u128 / total) as f64,
    };
    Cow::Owned(graph.reweighed(|bytes, messages| {
        let size = bytes as f64 / messages;
        let row = by_size.row(size).expect("the table has rows");
        let factor = (1.0 / row.bandwidth).min(most);
        let weighted = (bytes as f64 * factor).round().max(1.0) as u64;
        (weighted, messages * row.latency)
    }))
}
