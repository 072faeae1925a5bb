//! The trait of all networks: distances, channels, routes and structure.

use super::bisection::Bisection;
use super::distance_profile::DistanceProfile;
use super::distances::Distances;
use super::grid::Grid;
use super::rules::RoutingRules;
use super::speed::Speed;
use super::unit::Unit;
use super::wiring::Wiring;
use rankfold_base::{ChannelId, NodeId};
use schemars::JsonSchema;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The rule by which a message takes one of several shortest paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Routing {
    /// Dimension order: dimension 0 first, the shorter way round; upwards if both ways are equally
    /// long.
    Dor,
    /// One fixed path for each destination, by forwarding tables or by d-mod-k.
    Static,
    /// All shortest paths evenly.
    Spread,
}

/// What is known of the paths of messages between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathChoice {
    /// All messages take the [`route`](Topology::route).
    Fixed,
    /// All messages take one path. Where two paths are equally long, nobody knows which:
    /// [`route`](Topology::route) follows one rule, and [`route_shares`](Topology::route_shares)
    /// gives each path half of the bytes.
    Unknown,
    /// Bytes take several paths as a rule: see [`route_shares`](Topology::route_shares).
    Several,
}

impl fmt::Display for Routing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dor => "dor",
            Self::Static => "static",
            Self::Spread => "spread",
        })
    }
}

/// The share of the bytes of a half-way tie that each of its ways counts where nobody knows which
/// one they take.
///
/// Measured with an annealer outside the project that lowers the energy of `anneal-time`, on the
/// graphs and tori of `scripts/bench time --parts ties`, two or three seeds each: predicted time
/// under the rules `source`, `+` and `-` over that of a search that was told `source`, geometric
/// mean. A half of the bytes each way 1.13, three quarters 1.02, all 1.05; for each link the worse
/// of `+` and `-` 1.03; a search that was told another rule than the machine has 1.19.
pub const HEDGE: f64 = 0.75;

/// The bytes that one node sends to another node: the sum over all ranks of both nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node, which is another node than the sending one.
    pub to: NodeId,
    /// All bytes from the sending node to the receiving node.
    pub bytes: u64,
}

/// All flows of a placement, in pieces, since a list of the flows of a million ranks would take as
/// much memory as the matrix of messages.
pub trait Flows: Sync {
    /// Number of pieces.
    fn pieces(&self) -> usize;

    /// The flows of one piece, ordered by sender, then by receiver, across all pieces.
    fn piece(&self, number: usize) -> Cow<'_, [Flow]>;
}

/// Number of flows in one piece of a list. Chosen by hand; not measured.
const PIECE: usize = 1 << 16;

impl Flows for Vec<Flow> {
    fn pieces(&self) -> usize {
        self.len().div_ceil(PIECE)
    }

    fn piece(&self, number: usize) -> Cow<'_, [Flow]> {
        let start = number * PIECE;
        Cow::Borrowed(&self[start..self.len().min(start + PIECE)])
    }
}

/// The structure of a network, for heuristics that exploit it. Sizes of groups are given from the
/// root down: the number of groups, of groups within a group, .. , of nodes within a lowest group.
/// Nodes are numbered depth first.
#[derive(Clone, Copy, Debug)]
pub enum Structure<'a> {
    /// A mesh or torus.
    Grid(&'a Grid),
    /// A tree of switches, in which a switch may have several parents: the distance of two nodes is
    /// that of the lowest level at which a switch is above both nodes. It is twice the level,
    /// unless [distances](RoutingRules::distances) were given.
    Tree(&'a [usize]),
    /// Groups within groups that do not form a tree, such as the groups of routers of a dragonfly.
    Groups(&'a [usize]),
    /// Only distances and routes are known.
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
/// use rankfold_base::NodeId;
/// use rankfold_machine as machine;
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

    /// The structure of the network.
    fn structure(&self) -> Structure<'_>;

    /// The number of links on a shortest path between two nodes, or the distance that was given in
    /// its place: see [`by_links`](Self::by_links).
    fn hops(&self, from: NodeId, to: NodeId) -> u32;

    /// The same network with numbers of links as distances, where other distances were given.
    /// Arguments about links need it.
    fn by_links(&self) -> Option<Arc<dyn Topology>> {
        None
    }

    /// An oracle for the [`hops`](Self::hops) of all pairs that needs no virtual call, for loops
    /// over messages or moves.
    fn distances(&self) -> Distances;

    /// The number of nodes and of node pairs at each distance.
    fn distance_profile(&self) -> DistanceProfile;

    /// The largest number of [`hops`](Self::hops) between any two nodes.
    fn diameter(&self) -> u32;

    /// The other nodes at the smallest distance from `node`, ascending.
    fn nearest(&self, node: NodeId) -> Vec<NodeId>;

    /// Number of directed channels.
    fn channels(&self) -> usize;

    /// The unit of bandwidths, which also tells the unit of times.
    fn unit(&self) -> Unit {
        Unit::BytesOverOneLink
    }

    /// Bandwidth of a channel, in bytes per second or relative: see [`unit`](Self::unit).
    fn bandwidth(&self, channel: ChannelId) -> f64;

    /// Latency of a channel in seconds; 0 if bandwidths are relative.
    fn latency(&self, _channel: ChannelId) -> f64 {
        0.0
    }

    /// The speeds of all links, each with the number of channels in a row that have it.
    fn link_speeds(&self) -> Vec<(Speed, usize)> {
        let mut runs: Vec<(Speed, usize)> = Vec::new();
        for channel in (0..self.channels()).map(ChannelId::at) {
            let now = Speed {
                bandwidth: self.bandwidth(channel),
                latency: self.latency(channel),
            };
            match runs.last_mut() {
                Some((last, number)) if *last == now => *number += 1,
                _ => runs.push((now, 1)),
            }
        }
        runs
    }

    /// The sum of the latencies of the channels that a message between two nodes passes: the mean,
    /// if several paths share the messages.
    fn path_latency(&self, from: NodeId, to: NodeId) -> f64 {
        let mut sum = 0.0;
        self.route_shares(from, to, &mut |channel, share| {
            sum += share * self.latency(channel);
        });
        sum
    }

    /// The rule by which messages take their paths.
    fn routing(&self) -> Routing;

    /// The rules that were given, besides [`routing`](Self::routing).
    fn rules(&self) -> &RoutingRules;

    /// Sets the rules of a network that has none yet.
    ///
    /// # Errors
    /// A message for a rule that does not fit the network. The network is unchanged then.
    fn set_rules(&mut self, rules: RoutingRules) -> Result<(), String>;

    /// Whether the path of each pair is all that is known of the network:
    /// [`wiring`](Self::wiring) is a stand-in then.
    fn lists_paths(&self) -> bool {
        false
    }

    /// Whether messages take the [`route`](Self::route), as far as it is known.
    fn path_choice(&self) -> PathChoice;

    /// Calls `visit` with the channels of the path that messages take, in order. Half-way ties that
    /// go both ways or an unknown way go upwards here; of several paths this is the one of a
    /// network that takes one.
    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId));

    /// Calls `visit` with every channel that messages from one node to another use, and with the
    /// share of their bytes that it carries. A channel may be visited several times; its shares add
    /// up. Where [`path_choice`](Self::path_choice) is [`PathChoice::Fixed`], all bytes follow the
    /// [`route`](Self::route).
    fn route_shares(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId, f64)) {
        self.route(from, to, &mut |channel| visit(channel, 1.0));
    }

    /// The same channels, with the shares of [`hedged_loads`](Self::hedged_loads): where nobody
    /// knows the way of a half-way tie, each of its ways carries the share [`HEDGE`].
    fn hedged_shares(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId, f64)) {
        self.route_shares(from, to, visit);
    }

    /// The bytes through every channel if each flow takes its [`route`](Self::route). No sum
    /// overflows, since all bytes of a communication graph together fit 63 bits.
    fn loads(&self, flows: &dyn Flows) -> Vec<u64> {
        let mut loads = vec![0; self.channels()];
        for piece in 0..flows.pieces() {
            for flow in &*flows.piece(piece) {
                self.route(flow.from, flow.to, &mut |c| loads[c.index()] += flow.bytes);
            }
        }
        loads
    }

    /// The bytes through every channel if each flow is divided as
    /// [`route_shares`](Self::route_shares) says.
    fn shared_loads(&self, flows: &dyn Flows) -> Vec<f64> {
        shared_one_by_one(self, flows)
    }

    /// The bytes through every channel as a placement is judged that must be good whichever way
    /// half-way ties of an [unknown](PathChoice::Unknown) way go: each way counts [`HEDGE`] of
    /// their bytes. `loads` are the [`loads`](Self::loads) of the same flows, which are returned
    /// where all ways are known.
    fn hedged_loads(&self, _flows: &dyn Flows, loads: &[f64]) -> Vec<f64> {
        loads.to_vec()
    }

    /// The two vertices that every channel leads from and to, numbered as in
    /// [`wiring`](Self::wiring); `None` for numbers that no channel has.
    fn ends(&self) -> Vec<Option<(u32, u32)>>;

    /// For every vertex, numbered as in [`wiring`](Self::wiring), the sum of the bandwidths of the
    /// channels that leave it.
    fn leaving(&self) -> Vec<f64> {
        let wiring = self.wiring();
        let edges = wiring.edges.iter();
        edges
            .map(|edges| edges.iter().map(|edge| edge.bandwidth).sum())
            .collect()
    }

    /// The network as a graph in which parallel cables are one edge, for metrics over all shortest
    /// paths.
    fn wiring(&self) -> Wiring;

    /// The smallest bandwidth between two halves of the nodes in one direction, as far as it is
    /// known.
    fn bisection(&self) -> Bisection {
        Bisection::of_first_half(self.nodes(), &self.wiring())
    }
}

/// The bytes through every channel, flow by flow.
pub(super) fn shared_one_by_one<T: Topology + ?Sized>(topology: &T, flows: &dyn Flows) -> Vec<f64> {
    let mut loads = vec![0.0; topology.channels()];
    for piece in 0..flows.pieces() {
        for flow in &*flows.piece(piece) {
            topology.route_shares(flow.from, flow.to, &mut |channel, share| {
                loads[channel.index()] += share * flow.bytes as f64;
            });
        }
    }
    loads
}
