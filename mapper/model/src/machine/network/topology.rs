//! What a network is: distances, channels, routes, and how it is built.

use super::bisection::Bisection;
use super::distance_profile::DistanceProfile;
use super::distances::Distances;
use super::grid::Grid;
use super::unit::Unit;
use super::wiring::Wiring;
use crate::ids::{ChannelId, NodeId};
use std::borrow::Cow;
use std::fmt;

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

/// All flows of a placement, a piece at a time: of a million ranks, they take as much memory as the
/// messages.
pub trait Flows: Sync {
    /// Number of pieces.
    fn pieces(&self) -> usize;

    /// The flows of one piece, ordered by sender, then receiver, and behind those of the piece
    /// before.
    fn piece(&self, number: usize) -> Cow<'_, [Flow]>;
}

/// Flows of a list that are handed over together.
const LISTED: usize = 1 << 16;

impl Flows for Vec<Flow> {
    fn pieces(&self) -> usize {
        self.len().div_ceil(LISTED)
    }

    fn piece(&self, number: usize) -> Cow<'_, [Flow]> {
        let start = number * LISTED;
        Cow::Borrowed(&self[start..self.len().min(start + LISTED)])
    }
}

/// How a network is built, as far as heuristics can use it. Sizes of groups are given from the root
/// down: groups, groups within a group, .. , nodes within a lowest group; nodes are numbered depth
/// first.
#[derive(Clone, Copy, Debug)]
pub enum Structure<'a> {
    /// A mesh or torus.
    Grid(&'a Grid),
    /// A tree of switches, however many parents a switch has: two nodes are twice as many links
    /// apart as the lowest level of switches that reaches both.
    Tree(&'a [usize]),
    /// Groups within groups, joined in some other way than a tree: a dragonfly's groups of routers
    /// of nodes.
    Groups(&'a [usize]),
    /// Nothing is known but distances and routes.
    Unknown,
}

impl<'a> Structure<'a> {
    /// The geometry of a mesh or torus.
    #[must_use]
    pub fn grid(self) -> Option<&'a Grid> {
        match self {
            Self::Grid(grid) => Some(grid),
            _ => None,
        }
    }

    /// Sizes of groups from the root down, for trees and groups of groups.
    #[must_use]
    pub fn arities(self) -> Option<&'a [usize]> {
        match self {
            Self::Tree(arities) | Self::Groups(arities) => Some(arities),
            Self::Grid(_) | Self::Unknown => None,
        }
    }
}

/// A network. One file per family, listed in [`FAMILIES`](super::FAMILIES).
///
/// ```
/// use rankfold_model::{NodeId, machine};
///
/// let tree = machine::parse("tree:4x8")?; // 4 leaf switches of 8 nodes
/// assert_eq!((tree.nodes(), tree.hops(NodeId(0), NodeId(31))), (32, 4));
/// let mut path = Vec::new();
/// tree.route(NodeId(0), NodeId(31), &mut |channel| path.push(channel));
/// assert_eq!(path.len(), 4);
/// assert_eq!(tree.structure().arities(), Some(&[4, 8][..]));
/// # Ok::<(), machine::MachineError>(())
/// ```
pub trait Topology: fmt::Debug + Send + Sync {
    /// The canonical spec: parsing it gives this topology again.
    fn spec(&self) -> String;

    /// Number of nodes (hosts).
    fn nodes(&self) -> usize;

    /// How the network is built, for heuristics made for one kind.
    fn structure(&self) -> Structure<'_>;

    /// Links on a shortest path between two nodes.
    fn hops(&self, from: NodeId, to: NodeId) -> u32;

    /// [`hops`](Self::hops) of every pair without a virtual call: for loops over messages or moves.
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

    /// Seconds a message needs to cross a channel beside those for its bytes; 0 where bandwidths
    /// are relative.
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
    fn loads(&self, flows: &dyn Flows) -> Vec<u64> {
        let mut loads = vec![0; self.channels()];
        for piece in 0..flows.pieces() {
            for flow in &*flows.piece(piece) {
                self.route(flow.from, flow.to, &mut |c| loads[c.index()] += flow.bytes);
            }
        }
        loads
    }

    /// The vertices every channel leads from and to, numbered as in [`wiring`](Self::wiring);
    /// `None` for numbers that no cable has.
    fn ends(&self) -> Vec<Option<(u32, u32)>>;

    /// The bandwidth of all channels together that leave every vertex, in the order of
    /// [`wiring`](Self::wiring).
    fn leaving(&self) -> Vec<f64> {
        let wiring = self.wiring();
        let edges = wiring.edges.iter();
        edges
            .map(|edges| edges.iter().map(|edge| edge.bandwidth).sum())
            .collect()
    }

    /// Vertices and merged directed edges, for metrics over all shortest paths.
    fn wiring(&self) -> Wiring;

    /// Least bandwidth between two halves of the nodes, one direction, as far as it is known.
    fn bisection(&self) -> Bisection {
        Bisection::of_first_half(self.nodes(), &self.wiring())
    }
}
