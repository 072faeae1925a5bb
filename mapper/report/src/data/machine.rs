//! The machine as it is drawn.

use serde::Serialize;

/// A machine.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Machine {
    /// Its spec or file.
    pub spec: String,
    /// Nodes, used or not.
    pub nodes: usize,
    /// Nodes that some rank sits on, in any of the placements.
    pub used: usize,
    /// Switches.
    pub switches: usize,
    /// Directed links: a cable is two.
    pub links: usize,
    /// How messages choose their path, in words.
    pub routing: String,
    /// What the load of a link is in.
    pub unit: LoadUnit,
    /// The bandwidth of every link where all are alike, else 1: loads are bytes over bandwidth
    /// times this.
    pub common_bandwidth: f64,
    /// How it is built.
    pub shape: Shape,
    /// Kinds of links: by dimension, by level and direction.
    pub kinds: Vec<Kind>,
    /// Every link, where there are few enough.
    pub network: Option<Network>,
    /// What the matrix is parted by.
    pub bands: Option<Bands>,
    /// Places on an axis of the matrix: slots of nodes in use.
    pub places: usize,
    /// The node of every place; empty for large machines.
    pub place_node: Vec<u32>,
}

/// What the load of a link is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadUnit {
    /// All links are alike: bytes.
    #[default]
    Bytes,
    /// Bytes over a bandwidth that is relative to a link of bandwidth 1.
    BytesOverBandwidth,
    /// Bytes over bytes per second.
    Seconds,
}

/// How a network is built.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Shape {
    /// A mesh or torus.
    Grid {
        /// Size of every dimension.
        dims: Vec<usize>,
        /// Whether they close to rings.
        wraps: bool,
    },
    /// Links join vertices of neighbouring levels only, nodes being the lowest.
    Levels {
        /// From the nodes up.
        levels: Vec<Level>,
        /// Where each vertex is; empty where the network is not listed.
        places: Vec<Place>,
    },
    /// Groups of routers of nodes; nodes are their own routers if `hosts` is 0.
    Groups {
        /// Number of groups.
        groups: usize,
        /// Routers of each.
        routers: usize,
        /// Nodes of each router.
        hosts: usize,
    },
    /// Anything else.
    #[default]
    Other,
}

/// The links between the vertices of one level and those above.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Level {
    /// What it joins.
    pub name: String,
    /// Number of cables.
    pub cables: usize,
}

/// Where a vertex of a network of levels is.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Place {
    /// 0 for nodes.
    pub level: u32,
    /// First node it serves.
    pub first: u32,
    /// Last one.
    pub last: u32,
}

/// A kind of links.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Kind {
    /// What people call it.
    pub name: String,
    /// How many there are.
    pub links: usize,
    /// Bandwidth of each, in words; empty where all links are alike.
    pub bandwidth: String,
}

/// Every vertex and link by name.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Network {
    /// Names of the nodes, then of the switches.
    pub vertices: Vec<String>,
    /// The links.
    pub links: Vec<Link>,
}

/// A link, one direction of a cable.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Link {
    /// The vertex it leads from.
    pub from: u32,
    /// The vertex it leads to.
    pub to: u32,
    /// Number of its kind.
    pub kind: u32,
}

/// What a matrix is parted by.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bands {
    /// What each is: a plane, a pod, a group.
    pub word: String,
    /// In order.
    pub bands: Vec<Band>,
}

/// One part of a matrix.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Band {
    /// Its name.
    pub name: String,
    /// First place.
    pub start: usize,
    /// One past its last place.
    pub end: usize,
}
