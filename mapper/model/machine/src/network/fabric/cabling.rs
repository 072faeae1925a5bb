//! The list of links from which a [`Fabric`](super::Fabric) is compiled.

use crate::Unit;
use crate::network::speed::Speed;
use petgraph::unionfind::UnionFind;

/// Parallel cables between two vertices of a network.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The two vertices that the cables join: nodes first, then switches.
    pub ends: (u32, u32),
    /// Speed of each cable, in each direction.
    pub speed: Speed,
    /// Number of parallel cables.
    pub cables: u32,
}

impl Link {
    /// A single cable.
    pub fn single(ends: (u32, u32), speed: Speed) -> Self {
        Self {
            ends,
            speed,
            cables: 1,
        }
    }
}

/// The description of a fabric. Vertices `0..nodes` are the nodes, the others are switches.
#[derive(Clone, Debug)]
pub(crate) struct Cabling {
    pub(crate) spec: String,
    pub(crate) nodes: usize,
    pub(crate) vertices: usize,
    pub(crate) links: Vec<Link>,
    /// Unit of the speeds of all links.
    pub(crate) unit: Unit,
    /// Divisor of every vertex for d-mod-k routing: see the module [`fabric`](super).
    pub(crate) divisors: Vec<u32>,
    /// Names of the nodes for error messages, if the nodes have names.
    pub(crate) names: Option<Vec<String>>,
    /// For fabrics of groups within groups: the number of groups, of routers in a group and so on,
    /// down to the number of nodes of a lowest group.
    pub(crate) arities: Option<Vec<usize>>,
    /// The first so many switches with hosts, or hosts without a switch, see the same numbers of
    /// hosts at each distance as all others do in turn, where the description tells.
    pub(crate) views: Option<usize>,
    /// Forwarding tables; without tables, routes follow the divisors.
    pub(crate) tables: Option<super::Tables>,
}

impl Cabling {
    /// A cabling without links; all divisors are 1.
    pub(crate) fn new(spec: String, nodes: usize, vertices: usize) -> Self {
        Self {
            spec,
            nodes,
            vertices,
            links: Vec::new(),
            unit: Unit::BytesOverOneLink,
            divisors: vec![1; vertices],
            names: None,
            arities: None,
            views: None,
            tables: None,
        }
    }

    /// Joins two vertices by parallel cables.
    pub(crate) fn join(&mut self, u: usize, v: usize, speed: Speed, cables: usize) {
        self.links.push(Link {
            ends: (u as u32, v as u32),
            speed,
            cables: cables as u32,
        });
    }

    /// Checks the list.
    ///
    /// # Errors
    /// A message for ends out of range, links from a vertex to itself, nodes without a path between
    /// them, or too many cables.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.nodes == 0 || self.nodes > self.vertices {
            return Err(format!(
                "{} hosts among {} vertices: at least one host, and no more than vertices",
                self.nodes, self.vertices
            ));
        }
        let mut cables = 0u64;
        for (number, link) in self.links.iter().enumerate() {
            self.check_link(number, link)?;
            cables += u64::from(link.cables);
        }
        if cables > 1 << 28 {
            return Err(format!("{cables} cables are more than the 2^28 supported"));
        }
        match self.first_unreachable() {
            Some(node) => Err(format!(
                "no path joins {} and {}",
                self.name(0),
                self.name(node)
            )),
            None => Ok(()),
        }
    }

    /// The first node without a path to node 0.
    pub(crate) fn first_unreachable(&self) -> Option<usize> {
        let mut joined = UnionFind::<u32>::new(self.vertices);
        for link in &self.links {
            joined.union(link.ends.0, link.ends.1);
        }
        (1..self.nodes).find(|&v| !joined.equiv(0, v as u32))
    }

    /// Checks one link; the error is a message that names the link by its `number`.
    pub(crate) fn check_link(&self, number: usize, link: &Link) -> Result<(), String> {
        let (u, v) = link.ends;
        if u.max(v) as usize >= self.vertices {
            return Err(format!(
                "link {number} joins {u} and {v}, the vertices are 0 to {}",
                self.vertices.saturating_sub(1)
            ));
        }
        if u == v {
            return Err(format!("link {number} joins vertex {u} to itself"));
        }
        let bandwidth = link.speed.bandwidth;
        if !(bandwidth.is_finite() && bandwidth > 0.0) {
            return Err(format!(
                "link {number} has bandwidth {bandwidth}: it must be positive"
            ));
        }
        if link.cables == 0 {
            return Err(format!("link {number} between {u} and {v} has no cable"));
        }
        Ok(())
    }

    /// The name of a node in error messages.
    pub(super) fn name(&self, node: usize) -> String {
        match &self.names {
            Some(names) => format!("host {}", names[node]),
            None => format!("host {node}"),
        }
    }
}
