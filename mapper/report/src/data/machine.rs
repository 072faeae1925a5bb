//! The machine as the report shows it.

use schemars::JsonSchema;
use serde::Serialize;

/// A machine.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Machine {
    /// Its spec, or the name of its file.
    pub spec: String,
    /// Number of nodes, with and without ranks.
    pub nodes: usize,
    /// Number of nodes that hold a rank in at least one of the placements.
    pub used: usize,
    /// Number of switches.
    pub switches: usize,
    /// Number of directed links; a cable is two.
    pub links: usize,
    /// The routing, in words.
    pub routing: String,
    /// The unit of link loads.
    pub unit: LoadUnit,
    /// The bandwidth of the links if all have the same, otherwise 1. A load is bytes over
    /// bandwidth, times this number.
    pub common_bandwidth: f64,
    /// How the network is built.
    pub shape: NetworkShape,
    /// The kinds of links: by dimension, or by level and direction.
    pub kinds: Vec<LinkKind>,
    /// Every link; `None` where there are too many to draw.
    pub network: Option<Network>,
    /// The parts of the machine that the matrix marks.
    pub bands: Option<Bands>,
    /// Number of places on an axis of the matrix. A place is a slot of a node that holds ranks.
    pub places: usize,
    /// The node of every place; empty for large machines.
    pub place_node: Vec<u32>,
}

/// The unit of link loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadUnit {
    /// Bytes: all links have the same bandwidth.
    #[default]
    Bytes,
    /// Bytes over a bandwidth relative to a link of bandwidth 1.
    BytesOverBandwidth,
    /// Seconds: bytes over bytes per second.
    Seconds,
}

/// How a network is built.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NetworkShape {
    /// A mesh or torus.
    Grid {
        /// Size of every dimension.
        dims: Vec<usize>,
        /// Whether every dimension closes to a ring.
        wraps: bool,
    },
    /// A network whose links join vertices of neighbouring levels only. Nodes are the lowest level.
    Levels {
        /// The links between neighbouring levels, from the nodes up.
        levels: Vec<Level>,
        /// The position of each vertex; empty where links are not listed one by one.
        places: Vec<VertexPosition>,
    },
    /// Groups of routers with nodes. If `hosts` is 0, nodes are routers themselves.
    Groups {
        /// Number of groups.
        groups: usize,
        /// Number of routers in each group.
        routers: usize,
        /// Number of nodes at each router.
        hosts: usize,
    },
    /// Any other network.
    #[default]
    Other,
}

/// The links between the vertices of one level and those of the level above.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Level {
    /// Name of the links, made of the two levels' names.
    pub name: String,
    /// What the links' lower ends are.
    pub lower_ends: LowerEnds,
    /// Number of cables.
    pub cables: usize,
}

/// The lower ends of the links of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LowerEnds {
    /// Nodes.
    #[default]
    Nodes,
    /// Switches. So is the lowest level where a drawing leaves the nodes out.
    Switches,
}

/// The position of a vertex in a network of levels: its level and the nodes below it.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct VertexPosition {
    /// Level of the vertex; 0 for nodes.
    pub level: u32,
    /// The first node below the vertex.
    pub first: u32,
    /// The last node below the vertex.
    pub last: u32,
}

/// A kind of links.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct LinkKind {
    /// Name of the kind.
    pub name: String,
    /// Number of links.
    pub links: usize,
    /// Bandwidth of the links, in words; empty where all links of the machine have the same.
    pub bandwidth: String,
}

/// All vertices and links of a network.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Network {
    /// Names of the vertices: the nodes, then the switches.
    pub vertices: Vec<String>,
    /// All links.
    pub links: Vec<Link>,
}

/// A link: one direction of a cable.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Link {
    /// The vertex where the link begins.
    pub from: u32,
    /// The vertex where the link ends.
    pub to: u32,
    /// Index into [`Machine::kinds`].
    pub kind: u32,
}

/// The parts of the machine that the matrix marks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Bands {
    /// What each part is: a plane, a pod, a group.
    pub word: String,
    /// The parts in order.
    pub bands: Vec<Band>,
}

/// One part of the machine as a range of places.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Band {
    /// Name of the part.
    pub name: String,
    /// The first place.
    pub start: usize,
    /// One past the last place.
    pub end: usize,
}
