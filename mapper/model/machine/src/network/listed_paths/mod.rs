//! Networks of which the path of every pair of nodes is listed: each path is the channels that
//! messages pass, in order.
//!
//! A channel is whatever messages queue for. Unlike one direction of a cable it need not lead from
//! one vertex to another: the medium that all messages of a cluster share, in both directions, is
//! one channel. So nothing is known of cables, switches, and paths besides the listed ones.
//!
//! ```text
//!  channels   0: n0 sends   1: bus   2: n1 receives   3: n1 sends   4: n0 receives
//!  paths      n0 to n1: 0 1 2        n1 to n0: 3 1 4
//! ```
//!
//! Memory: 4 bytes for every channel of every path, and 2 bytes for every pair of nodes.

mod table;

use super::distance_profile::ProfileBuilder;
use super::{
    Bisection, DistanceProfile, Distances, PathChoice, Routing, RoutingRules, Structure, Topology,
    Unit, Wiring,
};
use rankfold_base::{ChannelId, NodeId};
use std::sync::Arc;
pub use table::{PathChannel, PathTable};

/// A network of listed paths.
#[derive(Debug)]
pub(crate) struct ListedPaths {
    spec: String,
    table: PathTable,
    /// The number of channels on the shorter of both ways between two nodes, row-major.
    hops: Arc<[u16]>,
    profile: DistanceProfile,
    rules: RoutingRules,
}

impl ListedPaths {
    /// The network of a table of paths. `spec` names the network.
    ///
    /// # Errors
    /// A message for a table without nodes, for two nodes without a path, or with a path of more
    /// than 65,535 channels.
    pub(crate) fn new(spec: String, table: PathTable) -> Result<Self, String> {
        let nodes = table.nodes();
        if nodes == 0 {
            return Err("no host is given".into());
        }
        let length = |from: usize, to: usize| {
            let length = table.path(from, to).len();
            match u16::try_from(length) {
                Ok(0) => Err(format!("no path leads from host {from} to host {to}")),
                Ok(length) => Ok(length),
                Err(_) => Err(format!(
                    "the path from host {from} to host {to} has {length} channels: at most 65,535 are supported"
                )),
            }
        };
        let mut hops = vec![0; nodes * nodes];
        for (from, to) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            if from < to {
                let shorter = length(from, to)?.min(length(to, from)?);
                hops[from * nodes + to] = shorter;
                hops[to * nodes + from] = shorter;
            }
        }
        Ok(Self {
            profile: profile(&hops, nodes),
            hops: hops.into(),
            rules: RoutingRules::default(),
            table,
            spec,
        })
    }

    /// The sum of the bandwidths of the different channels with which the paths from a node start.
    fn leaving_node(&self, node: usize) -> f64 {
        let others = (0..self.nodes()).filter(|&to| to != node);
        let mut first: Vec<u32> = others.map(|to| self.table.path(node, to)[0]).collect();
        first.sort_unstable();
        first.dedup();
        let bandwidths = first.iter().map(|&c| self.bandwidth(ChannelId(c)));
        bandwidths.sum()
    }
}

fn profile(hops: &[u16], nodes: usize) -> DistanceProfile {
    let mut views = ProfileBuilder::default();
    for row in hops.chunks(nodes) {
        let most = row.iter().copied().max().unwrap_or(0);
        let mut counts = vec![0; usize::from(most) + 1];
        for &hops in row {
            counts[usize::from(hops)] += 1;
        }
        views.add(&counts, 1);
    }
    views.profile()
}

impl Topology for ListedPaths {
    fn spec(&self) -> String {
        self.spec.clone()
    }

    fn nodes(&self) -> usize {
        self.table.nodes()
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Unknown
    }

    /// The number of channels on the shorter of both ways.
    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        u32::from(self.hops[from.index() * self.nodes() + to.index()])
    }

    fn distances(&self) -> Distances {
        let nodes = self.nodes();
        let point = (0..nodes as u32).collect();
        let below = std::iter::repeat_n(0, nodes).collect();
        Distances::switched(point, below, Arc::clone(&self.hops), nodes)
    }

    fn distance_profile(&self) -> DistanceProfile {
        self.profile.clone()
    }

    fn diameter(&self) -> u32 {
        self.profile.pairs.len() as u32 - 1
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let row = &self.hops[node.index() * self.nodes()..][..self.nodes()];
        let least = row.iter().filter(|&&hops| hops > 0).min();
        let near = (0..).zip(row).filter(|(_, hops)| Some(*hops) == least);
        near.map(|(other, _)| NodeId(other)).collect()
    }

    fn channels(&self) -> usize {
        self.table.channels().len()
    }

    fn unit(&self) -> Unit {
        Unit::Seconds
    }

    /// Infinite for a channel in which messages do not slow each other down.
    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.table.channels()[channel.index()].speed.bandwidth
    }

    fn latency(&self, channel: ChannelId) -> f64 {
        self.table.channels()[channel.index()].speed.latency
    }

    fn routing(&self) -> Routing {
        Routing::Static
    }

    fn rules(&self) -> &RoutingRules {
        &self.rules
    }

    fn set_rules(&mut self, rules: RoutingRules) -> Result<(), String> {
        rules.check_switched()?;
        rules.check_without_levels()?;
        if rules.paths == Some(super::Paths::Spread) {
            return Err("routes=spread: the machine lists one path for each pair".into());
        }
        Ok(())
    }

    fn path_choice(&self) -> PathChoice {
        PathChoice::Fixed
    }

    fn lists_paths(&self) -> bool {
        true
    }

    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        for &channel in self.table.path(from.index(), to.index()) {
            visit(ChannelId(channel));
        }
    }

    /// No channel has known ends.
    fn ends(&self) -> Vec<Option<(u32, u32)>> {
        vec![None; self.channels()]
    }

    /// The sums of the nodes, and the rest of all bandwidths for the one switch of the stand-in.
    fn leaving(&self) -> Vec<f64> {
        let all: f64 = self
            .table
            .channels()
            .iter()
            .map(|c| c.speed.bandwidth)
            .sum();
        let mut leaving: Vec<f64> = (0..self.nodes()).map(|n| self.leaving_node(n)).collect();
        let of_nodes: f64 = leaving.iter().sum();
        leaving.push(if of_nodes < all { all - of_nodes } else { 0.0 });
        leaving
    }

    /// A stand-in, since no cables are known: all nodes hang off one switch.
    fn wiring(&self) -> Wiring {
        let switch = self.nodes() as u32;
        let cables = (0..switch).flat_map(|node| {
            let bandwidth = Some(self.leaving_node(node as usize)).filter(|b| b.is_finite());
            let bandwidth = bandwidth.filter(|&b| b > 0.0).unwrap_or(1.0);
            [(node, switch, bandwidth), (switch, node, bandwidth)]
        });
        Wiring::new(self.nodes() + 1, cables)
    }

    fn bisection(&self) -> Bisection {
        Bisection::Unknown
    }
}

#[cfg(test)]
mod tests;
