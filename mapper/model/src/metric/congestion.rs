//! Congestion: bytes through a channel over its bandwidth.

use crate::comm::CommGraph;
use crate::ids::{ChannelId, NodeId, Rank};
use crate::machine::{Flow, Topology};
use rayon::prelude::*;

/// What every node sends every other, ordered by sender, then receiver; traffic inside a node is left out.
#[must_use]
pub fn flows(graph: &CommGraph, nodes: &[NodeId]) -> Vec<Flow> {
    let mut order: Vec<Rank> = (0..graph.ranks()).map(Rank::at).collect();
    order.par_sort_unstable_by_key(|rank| (nodes[rank.index()], *rank));
    order
        .par_chunk_by(|a, b| nodes[a.index()] == nodes[b.index()])
        .flat_map_iter(|ranks| flows_of_node(graph, nodes, ranks))
        .collect()
}

/// What one node sends, given its ranks.
fn flows_of_node(graph: &CommGraph, nodes: &[NodeId], ranks: &[Rank]) -> Vec<Flow> {
    let from = nodes[ranks[0].index()];
    let sent = ranks.iter().flat_map(|&rank| graph.sent_by(rank));
    let mut flows: Vec<Flow> = sent
        .map(|(rank, bytes)| Flow {
            from,
            to: nodes[rank.index()],
            bytes,
        })
        .filter(|flow| flow.from != flow.to)
        .collect();
    flows.sort_unstable_by_key(|flow| flow.to);
    flows.dedup_by(|next, kept| {
        let same = next.to == kept.to;
        if same {
            kept.bytes += next.bytes;
        }
        same
    });
    flows
}

/// Bytes through each of a set of channels, and the bandwidths of those.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loads {
    /// Bytes.
    pub bytes: Vec<f64>,
    /// Relative bandwidths, as long as `bytes`.
    pub bandwidths: Vec<f64>,
}

impl Loads {
    /// Bytes / bandwidth of each.
    #[must_use]
    pub fn seconds(&self) -> Vec<f64> {
        let loads = self.bytes.iter().zip(&self.bandwidths);
        loads.map(|(bytes, bandwidth)| bytes / bandwidth).collect()
    }
}

/// Loads of the machine's channels under its own routing.
#[must_use]
pub fn routed_loads(topology: &dyn Topology, flows: &[Flow]) -> Loads {
    let loads = topology.loads(flows);
    Loads {
        bandwidths: (0..loads.len())
            .map(|c| topology.bandwidth(ChannelId::at(c)))
            .collect(),
        bytes: loads.into_iter().map(|b| b as f64).collect(),
    }
}

/// Congestion over all channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Congestion {
    /// Highest of any channel.
    pub max: f64,
    /// PTRAM's non-zero congestion average: mean over the channels with traffic.
    pub nz_avg: f64,
    /// PTRAM's non-zero congestion variance: population variance over the same.
    pub nz_var: f64,
    /// Number of channels with traffic.
    pub used_channels: usize,
}

impl Congestion {
    /// Summarises loads; all zero without traffic.
    #[must_use]
    pub fn of(loads: &Loads) -> Self {
        let used: Vec<f64> = loads
            .bytes
            .iter()
            .zip(&loads.bandwidths)
            .filter(|(bytes, _)| **bytes > 0.0)
            .map(|(bytes, bandwidth)| bytes / bandwidth)
            .collect();
        if used.is_empty() {
            return Self::default();
        }
        let count = used.len() as f64;
        let nz_avg = sum(&used) / count;
        let squares: Vec<f64> = used.iter().map(|c| (c - nz_avg).powi(2)).collect();
        Self {
            max: used.iter().copied().fold(0.0, f64::max),
            nz_avg,
            nz_var: sum(&squares) / count,
            used_channels: used.len(),
        }
    }
}

/// Pairwise sum: the error grows with the logarithm of the length, so printed digits can be trusted.
pub(super) fn sum(values: &[f64]) -> f64 {
    if values.len() <= 8 {
        return values.iter().sum();
    }
    let (a, b) = values.split_at(values.len() / 2);
    sum(a) + sum(b)
}
