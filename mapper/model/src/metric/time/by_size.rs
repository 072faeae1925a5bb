//! Bytes and messages as links feel them: by the share of bandwidth and latency that messages of
//! their size get.

use crate::comm::CommGraph;
use crate::machine::BySize;
use std::borrow::Cow;

/// The graph with bytes / share and messages x factor of every pair, by its mean message size.
///
/// Bytes are rounded to whole ones, at least 1, so that loads stay exact integers. All bytes
/// together still fit 63 bits: a pair counts no more than its part of those.
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
