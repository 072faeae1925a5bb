//! Every number we print, and its convention.
//!
//! * Communication is directed bytes: (i, j) and (j, i) both count. Ranks of one node are 0 hops apart.
//! * `hop_bytes` = sum of bytes x hops; `hops_per_byte` divides by all bytes between different ranks.
//! * `avg_dilation`, `max_dilation` run over directed pairs with traffic, unweighted, same-node pairs as 0.
//! * congestion of a channel = bytes through it / its bandwidth; links are full duplex.
//! * `nz_avg`, `nz_var`: mean and population variance over channels with traffic (PTRAM 2016).

use crate::comm::{Affinity, CommGraph};
use crate::ids::NodeId;
use crate::machine::{Machine, Topology};
use crate::placement::Placement;

/// Sum of bytes x hops.
#[must_use]
pub fn hop_bytes(graph: &CommGraph, topology: &dyn Topology, nodes: &[NodeId]) -> u128 {
    graph
        .messages()
        .map(|m| {
            let hops = topology.hops(nodes[m.from.index()], nodes[m.to.index()]);
            u128::from(m.bytes) * u128::from(hops)
        })
        .sum()
}

/// [`hop_bytes`] from the undirected view; equal, since distances are symmetric.
#[must_use]
pub fn hop_bytes_of(affinity: &Affinity, topology: &dyn Topology, nodes: &[NodeId]) -> u128 {
    let twice: u128 = (0..affinity.ranks())
        .map(crate::ids::Rank::at)
        .flat_map(|u| affinity.partners(u).map(move |(v, bytes)| (u, v, bytes)))
        .map(|(u, v, bytes)| {
            u128::from(bytes) * u128::from(topology.hops(nodes[u.index()], nodes[v.index()]))
        })
        .sum();
    twice / 2
}

/// Every metric of one placement. The field names are the keys of `--json`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Score {
    /// Sum of bytes x hops.
    pub hop_bytes: u128,
    /// Hop-bytes over all bytes between different ranks; 0 without traffic.
    pub hops_per_byte: f64,
    /// Mean hops over directed pairs with traffic, unweighted.
    pub avg_dilation: f64,
    /// Most hops of any pair with traffic.
    pub max_dilation: u32,
    /// Highest bytes / bandwidth of a channel under the machine's own routing (dor or static).
    pub max_congestion: f64,
    /// The same with every message split evenly over all shortest paths.
    pub max_congestion_amp: f64,
    /// Mean congestion of the channels with traffic, own routing.
    pub nz_avg: f64,
    /// Population variance of the same.
    pub nz_var: f64,
    /// PTRAM's sum of hop-bytes, max congestion, `nz_avg` and `nz_var` on relative weights.
    pub hybrid: f64,
}

/// Every metric of one placement.
#[must_use]
pub fn score(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Score {
    let nodes = placement.nodes(machine.slots());
    Score {
        hop_bytes: hop_bytes(graph, machine.topology(), &nodes),
        ..Score::default()
    }
}
