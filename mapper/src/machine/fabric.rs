//! Switched networks given as a list of links: what a generator or importer has to supply is the list.
//!
//! Routes are destination based, as InfiniBand forwarding tables are: at vertex u the k cables that lead
//! closer to node d, ordered by neighbour, then cable number, are told apart by `d / divisor[u] mod k`.

use super::{DistanceProfile, Distances, Routing, Topology, Wiring};
use crate::ids::{ChannelId, NodeId};
use petgraph::unionfind::UnionFind;
use std::collections::VecDeque;

/// Parallel cables between two vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) ends: (u32, u32),
    /// Of each cable.
    pub(super) bandwidth: f64,
    pub(super) cables: u32,
}

/// What describes a fabric; vertices `0..nodes` are the nodes.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) spec: String,
    pub(super) nodes: usize,
    pub(super) vertices: usize,
    pub(super) links: Vec<Link>,
    /// One entry a vertex.
    pub(super) divisors: Vec<u32>,
    /// Slots of every node, if the fabric says so.
    pub(super) capacities: Option<Vec<u32>>,
}

/// Distances are kept for at most this many pairs of switch and vertex.
const LARGEST_TABLE: usize = 1 << 29;
const UNREACHED: u16 = u16::MAX;

/// One direction of a cable.
#[derive(Clone, Copy, Debug)]
struct Channel {
    from: u32,
    to: u32,
    bandwidth: f64,
}

/// A network of nodes, switches and cables, with its channels and distances compiled.
#[derive(Debug)]
pub(super) struct Fabric {
    layout: Layout,
    /// Ordered by (from, to, cable number).
    channels: Vec<Channel>,
    /// First channel of every vertex, and one past the last channel.
    first: Vec<usize>,
    /// The point of every node (its only switch, or itself), as an index into the rows of `hops`.
    point: Vec<u32>,
    /// Links from the node to its point.
    below: Vec<u8>,
    /// Hops from every point (rows) to every vertex.
    hops: Vec<u16>,
    distances: Distances,
    profile: DistanceProfile,
}

impl Fabric {
    /// Compiles a layout.
    ///
    /// # Errors
    /// What is wrong with it: ends out of range, self links, disconnected vertices, too many of them.
    pub(super) fn new(layout: Layout) -> Result<Self, String> {
        check(&layout)?;
        let channels = channels(&layout.links);
        let first = (0..=layout.vertices)
            .map(|v| channels.partition_point(|c| (c.from as usize) < v))
            .collect();
        let mut fabric = Self {
            channels,
            first,
            point: Vec::new(),
            below: Vec::new(),
            hops: Vec::new(),
            distances: Distances::switched(Vec::new(), Vec::new(), Vec::new()),
            profile: DistanceProfile::same_everywhere(vec![1], layout.nodes),
            layout,
        };
        let points = fabric.attach();
        if points.len().saturating_mul(fabric.layout.vertices) > LARGEST_TABLE {
            return Err("the fabric is too large for a table of distances".into());
        }
        for &point in &points {
            fabric.search(point);
        }
        fabric.measure(&points);
        Ok(fabric)
    }

    /// Finds the point of every node; returns the points' vertices.
    fn attach(&mut self) -> Vec<u32> {
        let only_neighbour = |v: usize| {
            let channels = self.channels_of(v);
            let to = channels.first()?.to;
            channels.iter().all(|c| c.to == to).then_some(to)
        };
        let nodes = self.layout.nodes;
        let at: Vec<u32> = (0..nodes)
            .map(|v| match only_neighbour(v) {
                // Two nodes joined only to each other are points both.
                Some(to) if to as usize >= nodes || only_neighbour(to as usize).is_none() => to,
                _ => v as u32,
            })
            .collect();
        let mut points = at.clone();
        points.sort_unstable();
        points.dedup();
        self.below = (0u32..).zip(&at).map(|(v, &p)| u8::from(v != p)).collect();
        self.point = at
            .iter()
            .map(|p| points.partition_point(|q| q < p) as u32)
            .collect();
        points
    }

    fn channels_of(&self, vertex: usize) -> &[Channel] {
        &self.channels[self.first[vertex]..self.first[vertex + 1]]
    }

    /// Appends a row of hops from `point` to every vertex.
    fn search(&mut self, point: u32) {
        let mut row = vec![UNREACHED; self.layout.vertices];
        let mut queue = VecDeque::from([point]);
        row[point as usize] = 0;
        while let Some(u) = queue.pop_front() {
            for channel in self.channels_of(u as usize) {
                let v = channel.to as usize;
                if row[v] == UNREACHED {
                    row[v] = row[u as usize].saturating_add(1);
                    queue.push_back(channel.to);
                }
            }
        }
        self.hops.extend(row);
    }

    fn measure(&mut self, points: &[u32]) {
        let between = self
            .hops
            .chunks_exact(self.layout.vertices)
            .flat_map(|row| points.iter().map(|&p| row[p as usize]))
            .collect();
        self.distances = Distances::switched(self.point.clone(), self.below.clone(), between);
        self.profile = DistanceProfile::count(&self.distances, self.layout.nodes);
    }

    /// Hops from a vertex to a node.
    fn remaining(&self, vertex: usize, node: usize) -> u32 {
        if vertex == node {
            return 0;
        }
        let row = self.point[node] as usize * self.layout.vertices;
        u32::from(self.hops[row + vertex]) + u32::from(self.below[node])
    }
}

fn check(layout: &Layout) -> Result<(), String> {
    if layout.nodes == 0 || layout.nodes > layout.vertices {
        return Err(format!(
            "{} hosts among {} vertices: at least one host, and no more than vertices",
            layout.nodes, layout.vertices
        ));
    }
    let mut joined = UnionFind::<u32>::new(layout.vertices);
    let mut cables = 0u64;
    for (number, link) in layout.links.iter().enumerate() {
        let (u, v) = link.ends;
        if u.max(v) as usize >= layout.vertices {
            return Err(format!(
                "link {number} joins {u} and {v}, the vertices are 0 to {}",
                layout.vertices - 1
            ));
        }
        if u == v {
            return Err(format!("link {number} joins vertex {u} to itself"));
        }
        if !(link.bandwidth.is_finite() && link.bandwidth > 0.0) {
            return Err(format!(
                "link {number} has bandwidth {}: it must be positive",
                link.bandwidth
            ));
        }
        joined.union(u, v);
        cables += u64::from(link.cables);
    }
    if cables > 1 << 28 {
        return Err(format!("{cables} cables are more than the 2^28 supported"));
    }
    match (1..layout.nodes as u32).find(|&v| !joined.equiv(0, v)) {
        Some(apart) => Err(format!("no path joins host 0 and host {apart}")),
        None => Ok(()),
    }
}

fn channels(links: &[Link]) -> Vec<Channel> {
    let mut channels = Vec::new();
    for link in links {
        for (from, to) in [link.ends, (link.ends.1, link.ends.0)] {
            let channel = Channel {
                from,
                to,
                bandwidth: link.bandwidth,
            };
            channels.extend(std::iter::repeat_n(channel, link.cables as usize));
        }
    }
    // Stable: cables keep the order of the list.
    channels.sort_by_key(|c| (c.from, c.to));
    channels
}

impl Topology for Fabric {
    fn spec(&self) -> String {
        self.layout.spec.clone()
    }

    fn nodes(&self) -> usize {
        self.layout.nodes
    }

    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.distances.hops(from, to)
    }

    fn distances(&self) -> Distances {
        self.distances.clone()
    }

    fn distance_profile(&self) -> DistanceProfile {
        self.profile.clone()
    }

    fn diameter(&self) -> u32 {
        self.profile.pairs.len() as u32 - 1
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let others = || (0..self.nodes()).map(NodeId::at).filter(|&n| n != node);
        let least = others().map(|n| self.hops(node, n)).min();
        others()
            .filter(|&n| Some(self.hops(node, n)) == least)
            .collect()
    }

    fn channels(&self) -> usize {
        self.channels.len()
    }

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.channels[channel.index()].bandwidth
    }

    fn routing(&self) -> Routing {
        Routing::Static
    }

    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        let (mut u, d) = (from.index(), to.index());
        while u != d {
            let closer = self.remaining(u, d) - 1;
            let candidates = || {
                (self.first[u]..self.first[u + 1])
                    .filter(|&c| self.remaining(self.channels[c].to as usize, d) == closer)
            };
            let pick = d / self.layout.divisors[u] as usize % candidates().count();
            let taken = candidates().nth(pick).expect("the pick is below the count");
            visit(ChannelId::at(taken));
            u = self.channels[taken].to as usize;
        }
    }

    fn wiring(&self) -> Wiring {
        let mut edges: Vec<(u32, u32, f64)> = Vec::with_capacity(self.channels.len());
        for channel in &self.channels {
            match edges.last_mut() {
                Some(edge) if (edge.0, edge.1) == (channel.from, channel.to) => {
                    edge.2 += channel.bandwidth;
                }
                _ => edges.push((channel.from, channel.to, channel.bandwidth)),
            }
        }
        Wiring {
            vertices: self.layout.vertices,
            edges,
        }
    }

    fn capacities(&self) -> Option<&[u32]> {
        self.layout.capacities.as_deref()
    }
}
