//! Congestion of a channel: the bytes through it divided by its bandwidth.

use rankfold_base::{ChannelId, Csr, NodeId, Placement, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::{Flow, Flows, Machine, PathChoice, Topology};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Least number of ranks whose messages form one piece of [`NodeFlows`]. Pieces avoid a list of all
/// flows: the memory peak of a search with a million ranks fell from 950 to 680 MiB (commit
/// cc10e97). The size itself was chosen by hand.
const PIECE: usize = 4096;

/// Bytes that every node sends to every other node, ordered by sender, then receiver. Traffic
/// within a node is left out.
#[must_use]
pub fn flows(graph: &CommGraph, nodes: &[NodeId]) -> Vec<Flow> {
    NodeFlows::new(graph, nodes).all()
}

/// The [flows] of ranks placed on nodes, computed one piece at a time.
pub struct NodeFlows<'a> {
    graph: &'a CommGraph,
    nodes: &'a [NodeId],
    /// The ranks on every node, ascending.
    on_node: Csr<Rank>,
    /// The range of sending nodes of every piece.
    pieces: Vec<Range<usize>>,
}

impl<'a> NodeFlows<'a> {
    /// Flows of ranks on `nodes`, where entry r is the node of rank r.
    #[must_use]
    pub fn new(graph: &'a CommGraph, nodes: &'a [NodeId]) -> Self {
        let count = nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let on_node = Csr::grouped(
            count,
            nodes.iter().map(|node| node.index()).zip((0..).map(Rank)),
        );
        let (mut pieces, mut start) = (Vec::new(), 0);
        for node in 0..count {
            let ranks = on_node.range(node).end - on_node.range(start).start;
            if ranks >= PIECE || node + 1 == count {
                pieces.push(start..node + 1);
                start = node + 1;
            }
        }
        Self {
            graph,
            nodes,
            on_node,
            pieces,
        }
    }

    /// Returns the flows of all pieces.
    pub(super) fn all(&self) -> Vec<Flow> {
        let pieces = (0..self.pieces.len()).into_par_iter();
        pieces.flat_map_iter(|number| self.made(number)).collect()
    }

    fn made(&self, number: usize) -> Vec<Flow> {
        let (mut flows, mut of_node) = (Vec::new(), Vec::new());
        for node in self.pieces[number].clone() {
            self.sent_by_node(node, &mut of_node);
            flows.append(&mut of_node);
        }
        flows
    }

    /// Collects the flows that one node sends.
    fn sent_by_node(&self, node: usize, flows: &mut Vec<Flow>) {
        let from = NodeId::at(node);
        let ranks = self.on_node.row(node).iter();
        let sent = ranks.flat_map(|&rank| self.graph.sent_by(rank));
        let sent = sent.map(|(rank, bytes)| Flow {
            from,
            to: self.nodes[rank.index()],
            bytes,
        });
        flows.extend(sent.filter(|flow| flow.from != flow.to));
        flows.sort_unstable_by_key(|flow| flow.to);
        flows.dedup_by(|next, kept| {
            let same = next.to == kept.to;
            if same {
                kept.bytes += next.bytes;
            }
            same
        });
    }
}

impl Flows for NodeFlows<'_> {
    fn pieces(&self) -> usize {
        self.pieces.len()
    }

    fn piece(&self, number: usize) -> Cow<'_, [Flow]> {
        Cow::Owned(self.made(number))
    }
}

/// Bytes through channels, and the bandwidths of the channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelLoads {
    /// Bytes through every channel.
    pub bytes: Vec<f64>,
    /// Relative bandwidth of every channel.
    pub bandwidths: Vec<f64>,
}

impl ChannelLoads {
    /// Bytes divided by bandwidth, for every channel.
    #[must_use]
    pub fn seconds(&self) -> Vec<f64> {
        let loads = self.bytes.iter().zip(&self.bandwidths);
        loads.map(|(bytes, bandwidth)| bytes / bandwidth).collect()
    }
}

/// Loads of the machine's channels under its own routes. Half-way ties of which nobody knows the
/// way go upwards, as in the papers that define figures of congestion.
#[must_use]
pub fn routed_loads(topology: &dyn Topology, flows: &dyn Flows) -> ChannelLoads {
    match topology.path_choice() {
        PathChoice::Several => with_bandwidths(topology, topology.shared_loads(flows)),
        PathChoice::Fixed | PathChoice::Unknown => {
            let bytes = topology.loads(flows).into_par_iter();
            with_bandwidths(topology, bytes.map(|b| b as f64).collect())
        }
    }
}

/// The highest congestion of a channel between two switches.
#[must_use]
pub fn congestion_between_switches(
    graph: &CommGraph,
    machine: &Machine,
    placement: &Placement,
) -> f64 {
    let topology = machine.topology();
    let nodes = placement.nodes(machine.slots());
    let loads = routed_loads(topology, &NodeFlows::new(graph, &nodes));
    let is_switch = |vertex: u32| vertex as usize >= topology.nodes();
    let ends = topology.ends().into_iter().zip(loads.seconds());
    ends.filter(|(ends, _)| ends.is_some_and(|(from, to)| is_switch(from) && is_switch(to)))
        .map(|(_, seconds)| seconds)
        .fold(0.0, f64::max)
}

/// The same loads as predicted time counts them: see [`Topology::hedged_loads`].
#[must_use]
pub fn hedged_loads(
    topology: &dyn Topology,
    flows: &dyn Flows,
    loads: &ChannelLoads,
) -> ChannelLoads {
    ChannelLoads {
        bytes: topology.hedged_loads(flows, &loads.bytes),
        bandwidths: loads.bandwidths.clone(),
    }
}

fn with_bandwidths(topology: &dyn Topology, bytes: Vec<f64>) -> ChannelLoads {
    ChannelLoads {
        bandwidths: (0..bytes.len())
            .into_par_iter()
            .map(|c| topology.bandwidth(ChannelId::at(c)))
            .collect(),
        bytes,
    }
}

/// Summary of the congestion of all channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Congestion {
    /// Highest congestion of any channel.
    pub max: f64,
    /// PTRAM's non-zero congestion average: the mean over the channels with traffic.
    pub nz_avg: f64,
    /// PTRAM's non-zero congestion variance: the population variance over the channels with
    /// traffic.
    pub nz_var: f64,
    /// Number of channels with traffic.
    pub used_channels: usize,
}

impl Congestion {
    /// Summarises loads. All figures are 0 without traffic.
    #[must_use]
    pub fn of(loads: &ChannelLoads) -> Self {
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

/// Pairwise sum. Its rounding error grows with the logarithm of the length, so that all printed
/// digits are exact.
pub(super) fn sum(values: &[f64]) -> f64 {
    if values.len() <= 8 {
        return values.iter().sum();
    }
    let (a, b) = values.split_at(values.len() / 2);
    sum(a) + sum(b)
}

#[cfg(test)]
mod tests {
    use super::routed_loads;
    use rankfold_base::NodeId;
    use rankfold_machine::{Flow, parse};

    /// The highest load of a cable when node 1 gets 840 bytes from node 0.
    fn highest_load(spec: &str) -> f64 {
        let topology = parse(spec).unwrap();
        let flow = Flow {
            from: NodeId(0),
            to: NodeId(1),
            bytes: 840,
        };
        let loads = routed_loads(&*topology, &vec![flow]);
        loads.bytes.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn bytes_spread_over_all_rails_of_a_node() {
        assert!((highest_load("rails:2,4,2") - 420.0).abs() < 1e-6);
        assert!((highest_load("rails:4,4,2") - 210.0).abs() < 1e-6);
        assert!((highest_load("rails:4,4,2/routes=static") - 840.0).abs() < 1e-6);
    }
}
