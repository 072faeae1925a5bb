//! Machines: nodes, the network between them, its routes, and the slots a job may use.
//!
//! Node index: torus and mesh lexicographic, last dimension fastest; trees and fat trees depth first by
//! leaf switch. Links are full duplex: every cable is two [channels](ChannelId). Two ranks on one node
//! are 0 hops apart and load no link; in switched networks host-switch links count as links.

mod bisection;
mod description;
mod distances;
mod dragonfly;
mod fabric;
mod file;
mod grid;
mod hardware;
pub mod hosts;
mod ibcore;
pub mod import;
mod inside;
mod percs;
mod profile;
pub mod sites;
mod spec;
mod tianhe3;
mod timing;
mod xgft;

use crate::ids::{ChannelId, CoreId, NodeId, SlotId};
use crate::placement::Slots;
use crate::words::counted;
pub use description::Description;
pub use distances::Distances;
pub use grid::Grid;
pub use hardware::{Hardware, Insides};
pub use hosts::HostList;
pub use inside::{Inside, Level};
pub use profile::DistanceProfile;
pub use spec::{FAMILIES, Family, load, parse};
use std::fmt;
use std::ops::Range;
pub use timing::{BySize, SizeRow, Timing, Unit};

/// What can be wrong with a machine description.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The family is not one we know.
    #[error("--machine {spec}: no machine file and no known family; known specs are {known}")]
    UnknownFamily {
        /// The whole spec.
        spec: String,
        /// Grammar of every family.
        known: String,
    },
    /// The family is known, its parameters are not right.
    #[error("--machine {spec}: {problem} (expected {grammar})")]
    BadSpec {
        /// The whole spec.
        spec: String,
        /// What is wrong, and what to do.
        problem: String,
        /// The family's grammar.
        grammar: &'static str,
    },
    /// A machine file is not right.
    #[error("--machine {file}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
    BadFile {
        /// The file.
        file: String,
        /// Counted from 1, if it is known.
        line: Option<usize>,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// Host list and machine do not fit.
    #[error("--hosts {list}: {problem}")]
    BadHosts {
        /// The list as given.
        list: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// More slots than are worth a table.
    #[error("{slots} slots on {machine} are more than the {most} supported: lower --cores")]
    TooManySlots {
        /// Slots asked for.
        slots: u64,
        /// The most there may be.
        most: u64,
        /// The machine's spec.
        machine: String,
    },
    /// More ranks than slots.
    #[error(
        "{} do not fit {} ({machine}): choose a larger machine or raise --cores",
        counted(*ranks, "rank"),
        counted(*slots, "slot")
    )]
    TooFewSlots {
        /// World size.
        ranks: usize,
        /// Slots of the machine.
        slots: usize,
        /// Its spec.
        machine: String,
    },
}

/// How messages choose among shortest paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Routing {
    /// Dimension order: dimension 0 first, the short way round, half-way ties in + direction.
    Dor,
    /// One fixed path per destination (d-mod-k), as forwarding tables do it.
    Static,
}

impl fmt::Display for Routing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dor => "dor",
            Self::Static => "static",
        })
    }
}

/// What one node sends another, the messages of all their ranks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node, another one.
    pub to: NodeId,
    /// All bytes between the two in this direction.
    pub bytes: u64,
}

/// A network. One file per family, listed in [`FAMILIES`].
pub trait Topology: fmt::Debug + Send + Sync {
    /// The canonical spec: parsing it gives this topology again.
    fn spec(&self) -> String;

    /// Number of nodes (hosts).
    fn nodes(&self) -> usize;

    /// Links on a shortest path between two nodes.
    fn hops(&self, from: NodeId, to: NodeId) -> u32;

    /// The same for every pair, without a virtual call: for loops over messages or moves.
    fn distances(&self) -> Distances;

    /// How many nodes and pairs there are at each distance.
    fn distance_profile(&self) -> DistanceProfile;

    /// Largest [`hops`](Self::hops) between any two nodes.
    fn diameter(&self) -> u32;

    /// Other nodes at the smallest distance from `node`, ascending: where a local move may look.
    fn nearest(&self, node: NodeId) -> Vec<NodeId>;

    /// Number of directed channels.
    fn channels(&self) -> usize;

    /// What bandwidths and latencies are in.
    fn unit(&self) -> Unit {
        Unit::BytesOverOneLink
    }

    /// Bandwidth of a channel: bytes per second, or relative, as [`unit`](Self::unit) says.
    fn bandwidth(&self, channel: ChannelId) -> f64;

    /// Seconds a message needs to cross a channel beside those for its bytes; 0 where bandwidths are relative.
    fn latency(&self, _channel: ChannelId) -> f64 {
        0.0
    }

    /// The sum of latencies on the [`route`](Self::route) between two nodes.
    fn path_latency(&self, from: NodeId, to: NodeId) -> f64 {
        let mut sum = 0.0;
        self.route(from, to, &mut |channel| sum += self.latency(channel));
        sum
    }

    /// Which rule [`route`](Self::route) follows.
    fn routing(&self) -> Routing;

    /// Visits the channels of the one path a message takes, in order.
    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId));

    /// Bytes through every channel when each flow takes its [`route`](Self::route).
    ///
    /// Exact: all bytes of a [`CommGraph`](crate::CommGraph) together fit 63 bits.
    fn loads(&self, flows: &[Flow]) -> Vec<u64> {
        let mut loads = vec![0; self.channels()];
        for flow in flows {
            self.route(flow.from, flow.to, &mut |c| loads[c.index()] += flow.bytes);
        }
        loads
    }

    /// Vertices (nodes first, then switches) and merged directed edges, for metrics over all shortest paths.
    fn wiring(&self) -> Wiring;

    /// The geometry, for topologies that are a mesh or torus.
    fn grid(&self) -> Option<&Grid> {
        None
    }

    /// Slots of every node, for machine descriptions that fix them.
    fn capacities(&self) -> Option<&[u32]> {
        None
    }

    /// Names of the nodes, for machine descriptions that know them.
    fn names(&self) -> Option<&[String]> {
        None
    }

    /// Arities from the root down, for balanced hierarchies.
    fn arities(&self) -> Option<&[usize]> {
        None
    }

    /// Numbers of consecutive nodes below one vertex, level by level, where hops are the sum over those groups
    /// of whether exactly one of two nodes is inside: for trees, however many parents a vertex has.
    fn subtrees(&self) -> Option<Vec<usize>> {
        None
    }

    /// Least bandwidth between two halves of the nodes, one direction, as far as it is known.
    fn bisection(&self) -> Bisection {
        Bisection::of_first_half(self.nodes(), &self.wiring())
    }
}

/// What is known of the least bandwidth between two halves of the nodes, one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bisection {
    /// It is this.
    Exactly(f64),
    /// The bandwidth between some halves, so there may be others with less.
    AtMost(f64),
    /// Too large a network to say.
    Unknown,
}

/// The network as a plain graph: parallel cables between two vertices are one edge, bandwidths added.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// Number of vertices; vertices `0..nodes` are the nodes.
    pub vertices: usize,
    /// Directed edges `(from, to, bandwidth)`, ascending by `(from, to)`.
    pub edges: Vec<(u32, u32, f64)>,
}

impl Wiring {
    /// First edge of every vertex, and one past the last edge.
    #[must_use]
    pub fn first_edges(&self) -> Vec<usize> {
        let mut first = vec![0; self.vertices + 1];
        for &(from, _, _) in &self.edges {
            first[from as usize + 1] += 1;
        }
        for v in 0..self.vertices {
            first[v + 1] += first[v];
        }
        first
    }
}

/// A topology, the slots a job has on it, and what its nodes are called.
#[derive(Debug)]
pub struct Machine {
    topology: Box<dyn Topology>,
    slots: Slots,
    hosts: Option<Vec<String>>,
    insides: Insides,
    timing: Timing,
}

/// Slots are tabled one by one, and no world is larger than this.
const MOST_SLOTS: u64 = 1 << 28;

impl Machine {
    /// As many slots on every node as `hosts` says, or else the machine file, or else `cores`, or else one
    /// a core of its inside, or else one.
    ///
    /// If the hardware names its nodes, `hosts` are those the job may use, in any order.
    ///
    /// # Errors
    /// [`MachineError::BadHosts`] if the hosts are not one a node, [`MachineError::TooManySlots`].
    pub fn new(
        hardware: impl Into<Hardware>,
        cores: impl Into<Option<u32>>,
        hosts: Option<HostList>,
    ) -> Result<Self, MachineError> {
        let hardware = hardware.into();
        let slots = hardware.slots(cores.into());
        let (names, capacities) = match hosts {
            None => (hardware.names, slots),
            Some(hosts) => {
                let (names, capacities) = hosts.fit(&slots, hardware.names.as_deref())?;
                (Some(names), capacities)
            }
        };
        let slots = capacities.iter().map(|&c| u64::from(c)).sum();
        if slots > MOST_SLOTS {
            return Err(MachineError::TooManySlots {
                slots,
                most: MOST_SLOTS,
                machine: hardware.topology.spec(),
            });
        }
        Ok(Self {
            topology: hardware.topology,
            slots: Slots::new(&capacities),
            hosts: names,
            insides: hardware.insides,
            timing: hardware.timing,
        })
    }

    /// The same number of `cores` on every node.
    #[must_use]
    pub fn uniform(topology: Box<dyn Topology>, cores: u32) -> Self {
        let slots = Slots::new(&vec![cores; topology.nodes()]);
        Self {
            topology,
            slots,
            hosts: None,
            insides: Insides::default(),
            timing: Timing::default(),
        }
    }

    /// The same machine with these times beside those of its links.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// What is known of times beside those of the links.
    #[must_use]
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The network.
    #[must_use]
    pub fn topology(&self) -> &dyn Topology {
        &*self.topology
    }

    /// The places ranks can sit in.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Whether the network is made of switches, or of nodes in groups: no mesh and no torus.
    #[must_use]
    pub fn is_switched(&self) -> bool {
        self.topology.grid().is_none()
    }

    /// Host name of every node, if the user or the machine file gave them; [`hosts::UNUSABLE`] for a node without slots.
    #[must_use]
    pub fn hosts(&self) -> Option<&[String]> {
        self.hosts.as_deref()
    }

    /// What is inside a node, if it is known.
    #[must_use]
    pub fn inside(&self, node: NodeId) -> Option<&Inside> {
        self.insides.of(node.index())
    }

    /// Whether anything is known of what is inside nodes.
    #[must_use]
    pub fn knows_insides(&self) -> bool {
        !self.insides.is_empty()
    }

    /// The cores a slot stands for, counted within its node, if its inside is known.
    #[must_use]
    pub fn cores(&self, slot: SlotId) -> Option<Range<u32>> {
        let node = self.slots.node_of(slot);
        let first = self.slots.on(node).next()?;
        let place = slot.0 - first.0;
        Some(self.inside(node)?.share(place, self.slots.capacity(node)))
    }

    /// The first of those: where a slot is inside its node.
    #[must_use]
    pub fn core(&self, slot: SlotId) -> Option<CoreId> {
        Some(CoreId(self.cores(slot)?.start))
    }

    /// Checks that a world fits.
    ///
    /// # Errors
    /// [`MachineError::TooFewSlots`] with both numbers.
    pub fn check_fits(&self, ranks: usize) -> Result<(), MachineError> {
        if ranks <= self.slots.len() {
            return Ok(());
        }
        Err(MachineError::TooFewSlots {
            ranks,
            slots: self.slots.len(),
            machine: self.topology.spec(),
        })
    }
}
