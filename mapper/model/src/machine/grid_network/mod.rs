//! Torus and mesh of any dimension: `torus:8x8x16[@bw,..]`, `mesh:16x16[@bw,..]`, `hypercube:N`.
//!
//! A torus dimension of size 2 has one cable between its two nodes, a dimension of size 1 has none.

mod bisection;
mod loads;

use super::grammar::{Family, sizes_and_bandwidths};
use super::{
    Bisection, DistanceProfile, Distances, Flow, Grid, Routing, Structure, Topology, Wiring,
};
use crate::ids::{ChannelId, NodeId};

/// The `torus` family.
pub(super) const TORUS: Family = Family {
    name: "torus",
    grammar: "torus:AxBx..[@bw,..]",
    build: |text| Ok(GridNetwork::parse(text, true)?.into()),
};

/// The `mesh` family.
pub(super) const MESH: Family = Family {
    name: "mesh",
    grammar: "mesh:AxBx..[@bw,..]",
    build: |text| Ok(GridNetwork::parse(text, false)?.into()),
};

/// The `hypercube` family: the torus of N dimensions of size 2, whose last dimension is the lowest bit.
pub(super) const HYPERCUBE: Family = Family {
    name: "hypercube",
    grammar: "hypercube:N (2^N nodes)",
    build: |text| match text.parse() {
        Ok(dims @ 1..=24) => Ok(GridNetwork::new(Grid::new(vec![2; dims], true)).into()),
        _ => Err(format!(
            "{text:?} is not a number of dimensions from 1 to 24"
        )),
    },
};

/// The network of a torus or mesh: its [`Grid`] with the bandwidths of its links.
#[derive(Clone, Debug)]
pub struct GridNetwork {
    grid: Grid,
    /// Bandwidth of the links along each dimension.
    bandwidths: Vec<f64>,
    given_bandwidths: bool,
}

impl GridNetwork {
    /// The network whose links all have bandwidth 1.
    #[must_use]
    pub fn new(grid: Grid) -> Self {
        Self {
            bandwidths: vec![1.0; grid.dims().len()],
            given_bandwidths: false,
            grid,
        }
    }

    fn parse(text: &str, wraps: bool) -> Result<Self, String> {
        let (dims, bandwidths) = sizes_and_bandwidths(text)?;
        let mut network = Self::new(Grid::new(dims, wraps));
        if let Some(bandwidths) = bandwidths {
            network.bandwidths = bandwidths;
            network.given_bandwidths = true;
        }
        Ok(network)
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
        if self.given_bandwidths {
            let bandwidths: Vec<String> = self.bandwidths.iter().map(ToString::to_string).collect();
            spec += &format!("@{}", bandwidths.join(","));
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

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.bandwidths[channel.index() / self.nodes() / 2]
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

    fn loads(&self, flows: &[Flow]) -> Vec<u64> {
        loads::loads(&self.grid, flows)
    }

    fn wiring(&self) -> Wiring {
        let cables = (0..self.nodes()).map(NodeId::at).flat_map(|node| {
            let near = self.grid.neighbours(node).into_iter();
            near.map(move |(dim, to)| (node.0, to.0, self.bandwidths[dim]))
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
