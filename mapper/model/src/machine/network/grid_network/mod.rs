//! Torus and mesh of any number of dimensions: `torus:8x8x16[@speed,..]`, `mesh:16x16[@speed,..]`,
//! `hypercube:N[@speed,..]`. Speeds are given for the links along each dimension, or one with a
//! unit for all links. Without speeds, all links have bandwidth 1 and no latency.
//!
//! A dimension of size 2 of a torus has one cable between its two nodes, a dimension of size 1
//! none.

mod bisection;
mod loads;

use super::grammar::{Family, sizes_and_speeds};
use super::speed::Speeds;
use super::{
    Bisection, DistanceProfile, Distances, Flows, Grid, Routing, Structure, Topology, Unit, Wiring,
};
use crate::ids::{ChannelId, NodeId};
use rayon::prelude::*;

/// The `torus` family.
pub(super) const TORUS: Family = Family {
    name: "torus",
    grammar: "torus:AxBx..[@speed,..] (of each dimension)",
    build: |text| Ok(GridNetwork::parse(text, true)?.into()),
};

/// The `mesh` family.
pub(super) const MESH: Family = Family {
    name: "mesh",
    grammar: "mesh:AxBx..[@speed,..] (of each dimension)",
    build: |text| Ok(GridNetwork::parse(text, false)?.into()),
};

/// The `hypercube` family: the torus of N dimensions of size 2. The last dimension is the lowest
/// bit of the node index.
pub(super) const HYPERCUBE: Family = Family {
    name: "hypercube",
    grammar: "hypercube:N[@speed,..] (2^N nodes; of each dimension)",
    build: |text| {
        let (dims, speeds) = Speeds::split(text)?;
        match dims.parse() {
            Ok(dims @ 1..=24) => {
                let network = GridNetwork::new(Grid::new(vec![2; dims], true));
                Ok(network.with_speeds(speeds)?.into())
            }
            _ => Err(format!(
                "{dims:?} is not a number of dimensions from 1 to 24"
            )),
        }
    },
};

/// The network of a torus or mesh: its [`Grid`] with the speeds of its links.
#[derive(Clone, Debug)]
pub struct GridNetwork {
    grid: Grid,
    /// Speeds of the links along each dimension.
    speeds: Speeds,
    given_speeds: bool,
}

impl GridNetwork {
    /// The network in which all links have bandwidth 1.
    #[must_use]
    pub fn new(grid: Grid) -> Self {
        Self {
            speeds: Speeds::relative(&vec![1.0; grid.dims().len()]),
            given_speeds: false,
            grid,
        }
    }

    fn parse(text: &str, wraps: bool) -> Result<Self, String> {
        let (dims, speeds) = sizes_and_speeds(text)?;
        Self::new(Grid::new(dims, wraps)).with_speeds(speeds)
    }

    fn with_speeds(mut self, speeds: Option<Speeds>) -> Result<Self, String> {
        if let Some(speeds) = speeds {
            self.speeds = speeds.of_sizes(self.grid.dims().len())?;
            self.given_speeds = true;
        }
        Ok(self)
    }
}

impl Topology for GridNetwork {
    fn spec(&self) -> String {
        let dims: Vec<String> = self.grid.dims().iter().map(ToString::to_string).collect();
        let mut spec = format!(
            "{}:{}",
            if self.grid.wraps() { "torus" } else { "mesh" },
            dims.join("x")
        );
        if self.given_speeds {
            spec += &format!("@{}", self.speeds);
        }
        spec
    }

    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    fn structure(&self) -> Structure<'_> {
        Structure::Grid(&self.grid)
    }

    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.grid.hops(from, to)
    }

    fn distances(&self) -> Distances {
        Distances::grid(self.grid.dims(), self.grid.wraps())
    }

    fn distance_profile(&self) -> DistanceProfile {
        DistanceProfile::grid(self.grid.dims(), self.grid.wraps())
    }

    fn diameter(&self) -> u32 {
        self.grid.diameter()
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        self.grid.nearest(node)
    }

    fn channels(&self) -> usize {
        self.grid.channels()
    }

    fn unit(&self) -> Unit {
        self.speeds.unit
    }

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.speeds.of[channel.index() / self.nodes() / 2].bandwidth
    }

    fn latency(&self, channel: ChannelId) -> f64 {
        self.speeds.of[channel.index() / self.nodes() / 2].latency
    }

    fn path_latency(&self, from: NodeId, to: NodeId) -> f64 {
        let (mut a, mut b, mut sum) = (from.index(), to.index(), 0.0);
        let wraps = self.grid.wraps();
        for (&k, speed) in self.grid.dims().iter().zip(&self.speeds.of).rev() {
            let apart = (a % k).abs_diff(b % k);
            let hops = if wraps { apart.min(k - apart) } else { apart };
            sum += hops as f64 * speed.latency;
            a /= k;
            b /= k;
        }
        sum
    }

    fn routing(&self) -> Routing {
        Routing::Dor
    }

    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        let grid = &self.grid;
        let (mut at, end) = (grid.coordinates(from), grid.coordinates(to));
        for (dim, &k) in grid.dims().iter().enumerate() {
            let steps = grid.displacement(dim, at[dim], end[dim]);
            let forward = steps > 0;
            for _ in 0..steps.unsigned_abs() {
                visit(grid.channel(dim, forward, grid.node_at(&at)));
                at[dim] = if forward {
                    (at[dim] + 1) % k
                } else {
                    (at[dim] + k - 1) % k
                };
            }
        }
    }

    fn loads(&self, flows: &dyn Flows) -> Vec<u64> {
        loads::loads(&self.grid, flows)
    }

    fn leaving(&self) -> Vec<f64> {
        // In the order of the wiring: ascending by the node that a channel leads to.
        let of_node = |node: usize| {
            let mut near = self.grid.neighbours(NodeId::at(node));
            near.sort_by_key(|&(_, to)| to);
            near.iter()
                .map(|&(dim, _)| self.speeds.of[dim].bandwidth)
                .sum()
        };
        (0..self.nodes()).into_par_iter().map(of_node).collect()
    }

    fn ends(&self) -> Vec<Option<(u32, u32)>> {
        let mut ends = vec![None; self.channels()];
        for node in (0..self.nodes()).map(NodeId::at) {
            for (channel, to) in self.grid.leaving(node) {
                ends[channel.index()] = Some((node.0, to.0));
            }
        }
        ends
    }

    fn wiring(&self) -> Wiring {
        let cables = (0..self.nodes()).map(NodeId::at).flat_map(|node| {
            let near = self.grid.neighbours(node).into_iter();
            near.map(move |(dim, to)| (node.0, to.0, self.speeds.of[dim].bandwidth))
        });
        Wiring::new(self.nodes(), cables)
    }

    fn bisection(&self) -> Bisection {
        match self.halves() {
            Some(bandwidth) => Bisection::Exactly(bandwidth),
            None => Bisection::of_first_half(self.nodes(), &self.wiring()),
        }
    }
}

#[cfg(test)]
mod tests;
