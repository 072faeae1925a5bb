//! All metrics of a placement, with their conventions.
//!
//! * Communication is directed bytes: (i, j) and (j, i) both count. Ranks on the same node are 0
//!   hops apart.
//! * `hop_bytes` = sum of bytes x hops. `hops_per_byte` divides by all bytes between different
//!   ranks.
//! * `avg_dilation` and `max_dilation` are taken over directed pairs with traffic, unweighted;
//!   pairs on the same node count as 0.
//! * Congestion of a channel = bytes through it / its bandwidth. Links are full duplex.
//! * `inner_levels` = bytes x levels inside of nodes, between cores and to the network adapters. No
//!   other metric includes it.
//! * [`time`] predicts how long all messages take, by a formula; [`replay`] follows them from event
//!   to event.
//! * `nz_avg`, `nz_var`: mean and population variance over channels with traffic (PTRAM 2016).
#![forbid(unsafe_code)]

mod all_minimal_paths;
mod bounds;
mod congestion;
mod dilation;
mod estimate;
mod hop_bytes;
mod hybrid;
mod inner_levels;
pub mod replay;
pub mod time;

pub use bounds::{
    BoundEffort, CongestionBound, CutProof, Eigenvalues, LowerBound, MOST_SPLIT_SLOTS, SplitProof,
    Triple, TripleRule, congestion_bound, cut_proof, fewest_hop_bytes, lower_bound, lower_bound_of,
    split_proof,
};
pub use congestion::{
    ChannelLoads, Congestion, NodeFlows, congestion_between_switches, flows, hedged_loads,
    routed_loads,
};
pub use dilation::{Dilation, dilation};
pub use estimate::{Estimate, IncrementalEstimate, estimated_loads};
pub use hop_bytes::{hop_bytes, hop_bytes_of, hop_bytes_of_over, hop_bytes_over};
pub use hybrid::{hybrid, slowest_bandwidth};
pub use inner_levels::inner_levels;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use schemars::JsonSchema;
use time::{Time, TimeModel};

/// All metrics of one placement. The field names are the keys of `--json`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, JsonSchema)]
pub struct Score {
    /// Sum of bytes x hops.
    pub hop_bytes: u128,
    /// Hop-bytes divided by all bytes between different ranks; 0 without traffic.
    pub hops_per_byte: f64,
    /// Mean hops over directed pairs with traffic, unweighted.
    pub avg_dilation: f64,
    /// Most hops of any pair with traffic.
    pub max_dilation: u32,
    /// Highest bytes / bandwidth of a channel under the machine's own routing (dor or static).
    pub max_congestion: f64,
    /// Highest congestion with every message split evenly over all shortest paths. Null if it was
    /// not asked for or would have taken too long.
    pub max_congestion_amp: Option<f64>,
    /// Mean congestion of the channels with traffic, under the machine's own routing.
    pub nz_avg: f64,
    /// Population variance of the same channels.
    pub nz_var: f64,
    /// PTRAM's sum of hop-bytes, max congestion, `nz_avg` and `nz_var` on relative weights.
    pub hybrid: f64,
    /// Bytes x levels inside of nodes: between the cores of two ranks on one node, and between the
    /// core of a rank and the nearest network adapter for bytes of other nodes. 0 where the inside
    /// of nodes is unknown.
    pub inner_levels: u128,
    /// Predicted time for the graph's own [exchange](CommGraph::exchange). In `--json` it is under
    /// `predicted_time`.
    #[serde(skip)]
    pub time: Time,
}

/// Computes all metrics of one placement.
#[must_use]
pub fn score(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Score {
    Score {
        max_congestion_amp: all_minimal_paths_congestion(graph, machine, placement, u64::MAX),
        ..score_of_routes(graph, machine, placement)
    }
}

/// Highest congestion with every message split over all its shortest paths. `None` if this takes
/// more than `most_steps` steps; a step is one channel that one message may use. About ten million
/// steps take a second.
#[must_use]
pub fn all_minimal_paths_congestion(
    graph: &CommGraph,
    machine: &Machine,
    placement: &Placement,
    most_steps: u64,
) -> Option<f64> {
    let topology = machine.topology();
    let nodes = placement.nodes(machine.slots());
    let flows = NodeFlows::new(graph, &nodes);
    let affordable = all_minimal_paths::steps(topology, &flows, most_steps) <= most_steps;
    affordable.then(|| Congestion::of(&all_minimal_paths::loads(topology, &flows.all())).max)
}

/// Computes all metrics except [`Score::max_congestion_amp`].
#[must_use]
pub fn score_of_routes(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Score {
    let topology = machine.topology();
    let distances = topology.distances();
    let nodes = placement.nodes(machine.slots());
    let flows = NodeFlows::new(graph, &nodes);
    let loads = routed_loads(topology, &flows);
    let own = Congestion::of(&loads);
    let time = TimeModel::new(graph, machine, graph.exchange());
    let (dilation, hop_bytes) = dilation::lengths(graph, &distances, &nodes);
    let mut score = Score {
        hop_bytes,
        hops_per_byte: match graph.total_bytes() {
            0 => 0.0,
            bytes => hop_bytes as f64 / bytes as f64,
        },
        avg_dilation: dilation.avg,
        max_dilation: dilation.max,
        max_congestion: own.max,
        max_congestion_amp: None,
        nz_avg: own.nz_avg,
        nz_var: own.nz_var,
        hybrid: 0.0,
        inner_levels: inner_levels(graph, machine, placement),
        time: if time.is_nominal() {
            time.time_of_loads(&nodes, &flows, &loads)
        } else {
            time.time(placement)
        },
    };
    score.hybrid = hybrid(graph, &score, slowest_bandwidth(machine.topology()));
    score
}
