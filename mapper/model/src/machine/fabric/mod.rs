//! Switched networks given as a list of links: what a generator or importer has to supply is the list.
//!
//! Routes are destination based, as InfiniBand forwarding tables are. Without tables, at vertex u the k
//! cables that lead closer to node d, ordered by neighbour, then cable number, are told apart by
//! `d / divisor[u] mod k`.

mod hops;
mod layout;
mod tables;

use super::{DistanceProfile, Distances, Routing, Topology, Wiring};
use crate::ids::{ChannelId, NodeId};
use hops::Hops;
pub(super) use layout::{Layout, Link};
use std::collections::HashSet;
pub(super) use tables::{FaultKind, NONE, Tables};

/// One direction of a cable.
#[derive(Clone, Copy, Debug)]
struct Channel {
    from: u32,
    to: u32,
    bandwidth: f64,
    /// The entry of the list of links.
    link: u32,
}

/// The channels that leave each vertex.
#[derive(Clone, Copy)]
struct Adjacency<'a> {
    channels: &'a [Channel],
    first: &'a [usize],
}

impl<'a> Adjacency<'a> {
    fn of(self, vertex: u32) -> &'a [Channel] {
        let v = vertex as usize;
        &self.channels[self.first[v]..self.first[v + 1]]
    }

    fn vertices(self) -> usize {
        self.first.len() - 1
    }
}

/// A network of nodes, switches and cables, with its channels and distances compiled.
#[derive(Debug)]
pub(super) struct Fabric {
    layout: Layout,
    /// Ordered by (from, to, cable number).
    channels: Vec<Channel>,
    /// First channel of every vertex, and one past the last channel.
    first: Vec<usize>,
    hops: Hops,
    profile: DistanceProfile,
}

impl Fabric {
    /// Compiles a layout.
    ///
    /// # Errors
    /// What is wrong with it: ends out of range, self links, nodes apart, tables that do not deliver, too
    /// many of anything.
    pub(super) fn new(layout: Layout) -> Result<Self, String> {
        layout.check()?;
        let channels = channels(&layout.links);
        let first: Vec<usize> = (0..=layout.vertices)
            .map(|v| channels.partition_point(|c| (c.from as usize) < v))
            .collect();
        let graph = Adjacency {
            channels: &channels,
            first: &first,
        };
        let hops = Hops::new(graph, layout.nodes)?;
        Ok(Self {
            profile: hops.profile(),
            hops,
            channels,
            first,
            layout,
        })
    }

    fn leaving(&self, vertex: u32) -> &[Channel] {
        let v = vertex as usize;
        &self.channels[self.first[v]..self.first[v + 1]]
    }

    /// The channel by which a message for node `d` leaves vertex `u`, by the tables.
    fn tabled(&self, tables: &Tables, u: usize, d: usize) -> usize {
        let leaving = self.leaving(u as u32);
        let place = match u.checked_sub(self.layout.nodes) {
            // A host sends by its first link, whatever the destination.
            None => (0..leaving.len()).min_by_key(|&i| leaving[i].link),
            Some(switch) => {
                let link = tables.link(switch, d);
                leaving.iter().position(|c| c.link == link)
            }
        };
        self.first[u] + place.expect("checked tables deliver")
    }

    /// The same by the divisors.
    fn divided(&self, u: usize, d: usize) -> usize {
        let closer = self.hops.between(u, d).map(|hops| hops - 1);
        let candidates = || {
            (self.first[u]..self.first[u + 1])
                .filter(|&c| self.hops.between(self.channels[c].to as usize, d) == closer)
        };
        let pick = d / self.layout.divisors[u] as usize % candidates().count();
        candidates().nth(pick).expect("the pick is below the count")
    }
}

fn channels(links: &[Link]) -> Vec<Channel> {
    let mut channels = Vec::new();
    for (number, link) in (0..).zip(links) {
        for (from, to) in [link.ends, (link.ends.1, link.ends.0)] {
            let channel = Channel {
                from,
                to,
                bandwidth: link.bandwidth,
                link: number,
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
        self.hops
            .between(from.index(), to.index())
            .expect("every host reaches every other")
    }

    fn distances(&self) -> Distances {
        self.hops.distances()
    }

    fn distance_profile(&self) -> DistanceProfile {
        self.profile.clone()
    }

    fn diameter(&self) -> u32 {
        self.profile.pairs.len() as u32 - 1
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let mut level = vec![node.0];
        let mut seen = HashSet::from([node.0]);
        while !level.is_empty() {
            let next: Vec<u32> = level
                .iter()
                .flat_map(|&v| self.leaving(v))
                .map(|channel| channel.to)
                .filter(|&v| seen.insert(v))
                .collect();
            let nodes = next.iter().filter(|&&v| (v as usize) < self.nodes());
            let mut nodes: Vec<NodeId> = nodes.copied().map(NodeId).collect();
            if !nodes.is_empty() {
                nodes.sort_unstable();
                return nodes;
            }
            level = next;
        }
        Vec::new()
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
            let taken = match &self.layout.tables {
                Some(tables) => self.tabled(tables, u, d),
                None => self.divided(u, d),
            };
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

    fn names(&self) -> Option<&[String]> {
        self.layout.names.as_deref()
    }

    fn arities(&self) -> Option<&[usize]> {
        self.layout.arities.as_deref()
    }
}
