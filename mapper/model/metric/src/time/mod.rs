//! Predicted communication time of a placement.
//!
//! `T(s) = max(Lmax, O) + H + s SF` for all messages of a run:
//!
//! * `Lmax`: the bytes of the busiest link divided by its bandwidth. A node's memory counts as a
//!   link if its bandwidth is known. Where nobody knows which way half-way ties of a torus go, each
//!   way counts the share [`HEDGE`](rankfold_machine::HEDGE) of their bytes, while figures of
//!   congestion take them upwards.
//! * `H`: the highest value, over pairs of ranks, of messages x sum of the latencies on the route.
//! * `O`: the machine's overhead for a message x the most messages that one rank sends and
//!   receives. It does not depend on the placement. Ranks start messages while links carry others,
//!   so the longer of `O` and `Lmax` hides the shorter one.
//! * `SF`: the mean transfer of a rank, 1 / ranks x sum over pairs of (messages x latencies on the
//!   route + bytes / bandwidth of each link on the route). A link between switches counts as far as
//!   it [can be busier](Machine::contention) than the nodes that use it.
//! * `s`: 0 if all messages of an exchange are in flight at once, 1 if a rank exchanges with one
//!   partner after the other (see [`exchange`](rankfold_graph::exchange)).
//!
//! If exchanges overlap, the busiest link determines the time. If they follow one another, the mean
//! transfer does; where all links are equal it is hop-bytes / (ranks x bandwidth). If only relative
//! bandwidths are known, latencies and overhead are 0 and the unit is [`Unit::BytesOverOneLink`].
//!
//! ```text
//! torus:4 at 1 GB/s, every rank sends 1000 bytes in one message to its successor, block order:
//! Lmax = 1 us (one message a link)   H = O = 0   SF = 4 x 1 us / 4 = 1 us   T(0.25) = 1.25 us
//! ```
//!
//! If the machine has a table [by size](rankfold_machine::BySize), the bytes of a pair are divided
//! by the share of bandwidth and its messages multiplied by the latency factor, both for the pair's
//! mean message size. A pair without counted messages has one message.
//!
//! If the [phases](CommGraph::phases) of a program are known, the times of the phases are added up.
//! Source: the project's own model. Cost: O(pairs x length of a route).

mod bound;
mod by_size;
mod cables;
mod route_costs;
#[cfg(test)]
mod tests;
mod waits;

use super::congestion::sum;
use super::{ChannelLoads, NodeFlows, hedged_loads, routed_loads};
pub use bound::{KnownBounds, still_to_gain};
use by_size::weighted_by_size;
use rankfold_base::{ChannelId, NodeId, Placement};
use rankfold_graph::{CommGraph, ProgramTurns};
pub use rankfold_machine::Unit;
use rankfold_machine::{Flows, Machine, Topology};
use schemars::JsonSchema;
use std::borrow::Cow;
pub use waits::{Waits, waits};

/// A predicted time and its parts, in [`unit`](Self::unit).
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Time {
    /// `Lmax`, the time of the busiest link.
    pub busiest_link: f64,
    /// `H`, the longest wait for latencies of any pair.
    pub latency: f64,
    /// `O`, the overhead of the busiest rank.
    pub overhead: f64,
    /// `SF`, the mean transfer of a rank.
    pub mean_transfer: f64,
    /// Weight of the mean transfer, from 0 to 1; without a unit.
    pub s: f64,
    /// Number of [turns](CommGraph::turns) of an exchange, the most of any phase; 0 if they are not
    /// known. Only a replay uses them.
    pub turns: u32,
    /// Unit of all other fields except `s`.
    pub unit: Unit,
    /// The time by the [replay](crate::replay) of the placement, where it was replayed.
    pub replayed: Option<f64>,
}

/// What a predicted time comes from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, JsonSchema,
)]
pub enum Predictor {
    /// The [replay](crate::replay) of the placement.
    #[serde(rename = "replay")]
    Replay,
    /// The formula `T`.
    #[default]
    T,
}

impl Time {
    /// The time of phases that follow each other: the totals add up. The weight `s` is that of all
    /// transfers together.
    fn of_phases(phases: impl Iterator<Item = Self>) -> Self {
        let add = |all: Self, phase: Self| {
            let mean_transfer = all.mean_transfer + phase.mean_transfer;
            let shared = all.s * all.mean_transfer + phase.s * phase.mean_transfer;
            Self {
                // In each phase the longer of link time and overhead hides the shorter one.
                busiest_link: all.busiest_link + phase.busiest_link.max(phase.overhead),
                latency: all.latency + phase.latency,
                overhead: all.overhead + phase.overhead,
                mean_transfer,
                s: if mean_transfer > 0.0 {
                    shared / mean_transfer
                } else {
                    phase.s
                },
                turns: all.turns.max(phase.turns),
                unit: phase.unit,
                replayed: None,
            }
        };
        phases.fold(Self::default(), add)
    }

    /// The predicted time: by the replay where there was one, else [`T`](Self::formula).
    #[must_use]
    pub fn total(&self) -> f64 {
        self.replayed.unwrap_or_else(|| self.formula())
    }

    /// The same parts with the total of a replay. A replay is not shorter than the busiest link and
    /// the overhead except by rounding, which is taken away here.
    #[must_use]
    pub fn with_replay(self, total: f64) -> Self {
        let least = self.busiest_link.max(self.overhead);
        Self {
            replayed: Some(total.max(least)),
            ..self
        }
    }

    /// The same parts without a replay.
    #[must_use]
    pub fn by_formula(self) -> Self {
        Self {
            replayed: None,
            ..self
        }
    }

    /// What [`total`](Self::total) comes from.
    #[must_use]
    pub fn predictor(&self) -> Predictor {
        if self.replayed.is_some() {
            Predictor::Replay
        } else {
            Predictor::T
        }
    }

    /// The time `T(s)`, whatever a replay says.
    ///
    /// ```
    /// use rankfold_metric::time::Time;
    /// let (busiest_link, latency, overhead, mean_transfer, s) = (3.0, 0.5, 1.0, 2.0, 0.25);
    /// let time = Time { busiest_link, latency, overhead, mean_transfer, s, ..Time::default() };
    /// assert_eq!(time.formula(), 4.0);
    /// assert_eq!(Time { overhead: 5.0, ..time }.formula(), 6.0);
    /// ```
    #[must_use]
    pub fn formula(&self) -> f64 {
        self.busiest_link.max(self.overhead) + self.latency + self.s * self.mean_transfer
    }

    /// Where `self` holds a lower bound of every part, and in [`replayed`](Self::replayed) one of
    /// replays: the lower bound of all times that the predictor gives. A replay may take less than
    /// `T`, but not less than the busiest link and the busiest rank.
    #[must_use]
    pub fn bound_of(&self, predictor: Predictor) -> f64 {
        let least = self.busiest_link.max(self.overhead);
        match predictor {
            Predictor::Replay => self.replayed.map_or(least, |bound| bound.max(least)),
            Predictor::T => self.formula(),
        }
    }
}

/// Predicts the time of one placement. For several placements, [`TimeModel`] prepares once what
/// they share.
#[must_use]
pub fn time(graph: &CommGraph, machine: &Machine, placement: &Placement, s: f64) -> Time {
    TimeModel::new(graph, machine, s).time(placement)
}

/// All that the time depends on except the placement.
#[derive(Clone, Debug)]
pub struct TimeModel<'a> {
    machine: &'a Machine,
    graph: Cow<'a, CommGraph>,
    overhead: f64,
    s: f64,
    /// Models of the phases, if phases are known.
    phases: Vec<Self>,
}

impl<'a> TimeModel<'a> {
    /// Prepares the model. `s` applies to the graph as a whole; [phases](CommGraph::phases) have
    /// their own. Visits the pairs of the graph only if the machine has an overhead or a table by
    /// size.
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

    /// Models of the phases, whose times add up to the time of a placement. Empty if phases are not
    /// known.
    #[must_use]
    pub fn phases(&self) -> &[Self] {
        &self.phases
    }

    /// The graph with weights by message size: bytes / share of bandwidth in whole bytes, and
    /// messages x latency factor. The parts of a time are computed from its loads and hop-bytes.
    #[must_use]
    pub fn graph(&self) -> &CommGraph {
        &self.graph
    }

    /// Whether the graph's own loads suffice for [`time_of_loads`](Self::time_of_loads): there are
    /// neither a table by size nor phases.
    #[must_use]
    pub fn is_nominal(&self) -> bool {
        matches!(self.graph, Cow::Borrowed(_)) && self.phases.is_empty()
    }

    /// `O`, which does not depend on the placement.
    #[must_use]
    pub fn overhead(&self) -> f64 {
        self.overhead
    }

    /// The weight of the mean transfer.
    #[must_use]
    pub fn s(&self) -> f64 {
        self.s
    }

    /// Number of turns of an exchange; 0 if they are not known.
    pub(super) fn turns(&self) -> u32 {
        self.graph.turns().map_or(0, ProgramTurns::most)
    }

    /// The unit of times.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.machine.topology().unit()
    }

    /// Predicts the time of a placement.
    #[must_use]
    pub fn time(&self, placement: &Placement) -> Time {
        if !self.phases.is_empty() {
            return Time::of_phases(self.phases.iter().map(|phase| phase.time(placement)));
        }
        let nodes = placement.nodes(self.machine.slots());
        let flows = NodeFlows::new(&self.graph, &nodes);
        let loads = routed_loads(self.machine.topology(), &flows);
        self.time_of_loads(&nodes, &flows, &loads)
    }

    /// Predicts the time from the flows of [`graph`](Self::graph) and their `loads` for ranks on
    /// `nodes`, where entry r is the node of rank r. Phases are ignored.
    #[must_use]
    pub fn time_of_loads(&self, nodes: &[NodeId], flows: &dyn Flows, loads: &ChannelLoads) -> Time {
        let topology = self.machine.topology();
        let waits = if has_latency(topology) {
            waits(&self.graph, topology, nodes)
        } else {
            Waits::default()
        };
        let memory = self.memory(nodes);
        // Both ways of a half-way tie take as long, so the transfer does not depend on the way.
        let mut transfers = loads.seconds();
        if let Some(contention) = self.machine.contention() {
            let shares = transfers.iter_mut().zip(contention);
            shares.for_each(|(seconds, share)| *seconds *= share);
        }
        let moved = sum(&transfers) + sum(&memory);
        let links = hedged_loads(topology, flows, loads).seconds();
        let ranks = nodes.len().max(1) as f64;
        Time {
            busiest_link: links.iter().chain(&memory).copied().fold(0.0, f64::max),
            latency: waits.longest,
            overhead: self.overhead,
            mean_transfer: (moved + waits.sum) / ranks,
            s: self.s,
            turns: self.turns(),
            unit: topology.unit(),
            replayed: None,
        }
    }

    /// Time that the memory of every node is busy with messages between its ranks. Empty if memory
    /// bandwidth is not known.
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
