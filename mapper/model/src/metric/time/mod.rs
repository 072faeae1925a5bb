//! Predicted communication time of a placement.
//!
//! `T(s) = max(Lmax, O) + H + s SF` for all messages of a run:
//!
//! * `Lmax`: the busiest link's bytes over its bandwidth. A node's memory is a link if its
//!   bandwidth is known.
//! * `H`: over the pairs of ranks, most of (messages x sum of the latencies on the way).
//! * `O`: the machine's overhead a message x most messages that one rank sends and receives. No
//!   placement changes it. Ranks start messages while links carry others, so the longer of `O` and
//!   `Lmax` hides the shorter one.
//! * `SF`: the mean transfer a rank, 1 / ranks x sum over the pairs of (messages x latencies on the
//!   way + bytes over the bandwidth of each link on the way).
//! * `s`: 0 if all messages of an exchange are under way at once, 1 if they follow each other
//!   partner by partner.
//!
//! The time of exchanges that overlap is the busiest link's; of exchanges one after the other it
//! follows the mean transfer, which is hop-bytes over ranks x bandwidth where all links are alike.
//! Where bandwidths are relative, the latencies and the overhead are 0 and the unit is
//! [`Unit::BytesOverOneLink`].
//!
//! Where the machine has a table [by size](crate::machine::BySize), the bytes of a pair count as
//! bytes / share of the bandwidth, and its messages as messages x factor on the latency, both for
//! the pair's mean message size. A pair whose messages nobody counted has one.
//!
//! Where the [phases](CommGraph::phases) of a program are known, its time is the sum of theirs.

mod bound;
mod by_size;
#[cfg(test)]
mod tests;
mod waits;

use super::congestion::sum;
use super::{ChannelLoads, NodeFlows, routed_loads};
use crate::comm::CommGraph;
use crate::ids::{ChannelId, NodeId};
pub use crate::machine::Unit;
use crate::machine::{Machine, Topology};
use crate::placement::Placement;
pub use bound::{KnownBounds, still_to_gain};
use by_size::weighted_by_size;
use std::borrow::Cow;
pub use waits::{Waits, waits};

/// A predicted time and its parts, in [`unit`](Self::unit).
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Time {
    /// `Lmax`.
    pub busiest_link: f64,
    /// `H`.
    pub latency: f64,
    /// `O`.
    pub overhead: f64,
    /// `SF`.
    pub mean_transfer: f64,
    /// The share of the mean transfer that counts, from 0 to 1; no time.
    pub s: f64,
    /// What all but `s` is in.
    pub unit: Unit,
}

impl Time {
    /// The time of phases that follow each other: their totals add up. The share `s` is that of all
    /// transfers together.
    fn of_phases(phases: impl Iterator<Item = Self>) -> Self {
        let add = |all: Self, phase: Self| {
            let mean_transfer = all.mean_transfer + phase.mean_transfer;
            let shared = all.s * all.mean_transfer + phase.s * phase.mean_transfer;
            Self {
                // In each phase the longer of both hides the other.
                busiest_link: all.busiest_link + phase.busiest_link.max(phase.overhead),
                latency: all.latency + phase.latency,
                overhead: all.overhead + phase.overhead,
                mean_transfer,
                s: if mean_transfer > 0.0 {
                    shared / mean_transfer
                } else {
                    phase.s
                },
                unit: phase.unit,
            }
        };
        phases.fold(Self::default(), add)
    }

    /// `T(s)`.
    ///
    /// ```
    /// use rankfold_model::metric::time::Time;
    /// let time = Time { busiest_link: 3.0, latency: 0.5, overhead: 1.0, mean_transfer: 2.0, s: 0.25, ..Time::default() };
    /// assert_eq!(time.total(), 4.0);
    /// assert_eq!(Time { overhead: 5.0, ..time }.total(), 6.0);
    /// ```
    #[must_use]
    pub fn total(&self) -> f64 {
        self.busiest_link.max(self.overhead) + self.latency + self.s * self.mean_transfer
    }
}

/// The predicted time of one placement. For several of them, [`TimeModel`] does once what they
/// share.
#[must_use]
pub fn time(graph: &CommGraph, machine: &Machine, placement: &Placement, s: f64) -> Time {
    TimeModel::new(graph, machine, s).time(placement)
}

/// What the time of a graph on a machine depends on, but for the placement.
#[derive(Clone, Debug)]
pub struct TimeModel<'a> {
    machine: &'a Machine,
    graph: Cow<'a, CommGraph>,
    overhead: f64,
    s: f64,
    /// Those of the phases, if they are known.
    phases: Vec<Self>,
}

impl<'a> TimeModel<'a> {
    /// The share `s` is that of the whole; [phases](CommGraph::phases) have their own. Takes time
    /// over the pairs only if the machine knows an overhead or a table by size.
    #[must_use]
    pub fn new(graph: &'a CommGraph, machine: &'a Machine, s: f64) -> Self {
        let timing = machine.timing();
        let overhead = match timing.overhead {
            0.0 => 0.0,
            each => each * graph.most_messages(),
        };
        Self {
            machine,
            graph: weighted_by_size(graph, &timing.by_size),
            overhead,
            s,
            phases: {
                let phases = graph.phases().iter();
                phases
                    .map(|phase| Self::new(phase, machine, phase.exchange()))
                    .collect()
            },
        }
    }

    /// The models of the phases, whose times add up to that of a placement; none if they are not
    /// known.
    #[must_use]
    pub fn phases(&self) -> &[Self] {
        &self.phases
    }

    /// The graph as the links feel it: bytes / share of the bandwidth, in whole bytes, and messages
    /// x factor on the latency. ChannelLoads and hop-bytes of it are what the parts of a time are made of.
    #[must_use]
    pub fn graph(&self) -> &CommGraph {
        &self.graph
    }

    /// Whether the loads of the graph itself tell the [time](Self::time): there is neither a table
    /// by size nor a phase.
    #[must_use]
    pub fn is_nominal(&self) -> bool {
        matches!(self.graph, Cow::Borrowed(_)) && self.phases.is_empty()
    }

    /// `O`, which no placement changes.
    #[must_use]
    pub fn overhead(&self) -> f64 {
        self.overhead
    }

    /// The share of the mean transfer that counts.
    #[must_use]
    pub fn s(&self) -> f64 {
        self.s
    }

    /// What times are in.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.machine.topology().unit()
    }

    /// The predicted time of a placement.
    #[must_use]
    pub fn time(&self, placement: &Placement) -> Time {
        if !self.phases.is_empty() {
            return Time::of_phases(self.phases.iter().map(|phase| phase.time(placement)));
        }
        let nodes = placement.nodes(self.machine.slots());
        let flows = NodeFlows::new(&self.graph, &nodes);
        let loads = routed_loads(self.machine.topology(), &flows);
        self.time_of_loads(&nodes, &loads)
    }

    /// The same from `loads` of [`graph`](Self::graph) with the ranks on `nodes`, entry r the node
    /// of rank r, and phases not told apart.
    #[must_use]
    pub fn time_of_loads(&self, nodes: &[NodeId], loads: &ChannelLoads) -> Time {
        let topology = self.machine.topology();
        let waits = match has_latency(topology) {
            true => waits(&self.graph, topology, nodes),
            false => Waits::default(),
        };
        let memory = self.memory(nodes);
        let links = loads.seconds();
        let moved = sum(&links) + sum(&memory);
        let ranks = nodes.len().max(1) as f64;
        Time {
            busiest_link: links.iter().chain(&memory).copied().fold(0.0, f64::max),
            latency: waits.longest,
            overhead: self.overhead,
            mean_transfer: (moved + waits.sum) / ranks,
            s: self.s,
            unit: topology.unit(),
        }
    }

    /// How long the memory of every node is busy with messages between its ranks; empty if that is
    /// not known.
    fn memory(&self, nodes: &[NodeId]) -> Vec<f64> {
        let Some(bandwidth) = self.machine.timing().memory else {
            return Vec::new();
        };
        let mut bytes = vec![0u64; self.machine.slots().nodes()];
        for message in self.graph.messages() {
            let node = nodes[message.from.index()];
            if node == nodes[message.to.index()] {
                bytes[node.index()] += message.bytes;
            }
        }
        bytes.into_iter().map(|b| b as f64 / bandwidth).collect()
    }
}

/// Whether any link has a latency.
#[must_use]
pub fn has_latency(topology: &dyn Topology) -> bool {
    topology.unit() == Unit::Seconds
        && (0..topology.channels()).any(|c| topology.latency(ChannelId::at(c)) > 0.0)
}
