//! The channels on the route between two nodes, found faster than by asking the topology.
//!
//! On meshes and tori the channels follow from the coordinates; elsewhere each route is asked for
//! once and remembered.

use rankfold_model::ids::NodeId;
use rankfold_model::machine::Topology;

/// The routes of switched networks with at most this many nodes are remembered. The table has 8
/// bytes for each pair of nodes: 128 MiB at this size.
const MOST_NODES: usize = 4096;
/// When more channels than this are remembered, all routes are forgotten: 256 MiB.
const MOST_CHANNELS: usize = 1 << 26;

/// Routes of one topology, for searches that follow the same pairs again and again.
pub(in crate::refine) enum Routes<'a> {
    Grid(GridRoutes),
    Remembered(RouteCache<'a>),
}

/// Routes in dimension order, with the channel numbers of [`Topology::route`].
pub(in crate::refine) struct GridRoutes {
    dims: Vec<Dimension>,
    nodes: u32,
    /// The coordinates of all nodes, node by node.
    at: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Dimension {
    size: u32,
    stride: u32,
    wraps: bool,
}

/// The routes that were asked for so far.
pub(in crate::refine) struct RouteCache<'a> {
    topology: &'a dyn Topology,
    nodes: usize,
    /// Position in `channels` and number of channels for every pair of nodes. The number is
    /// [`UNKNOWN`] until the route is asked for.
    of_pair: Vec<(u32, u32)>,
    channels: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a> Routes<'a> {
    /// `None` for switched networks too large to remember.
    pub(in crate::refine) fn new(topology: &'a dyn Topology) -> Option<Self> {
        let nodes = topology.nodes();
        if let Some(grid) = topology.structure().grid() {
            let mut stride = nodes as u32;
            let dims = grid.dims().iter().map(|&size| {
                stride /= size as u32;
                Dimension {
                    size: size as u32,
                    stride,
                    wraps: grid.wraps(),
                }
            });
            return Some(Self::Grid(GridRoutes {
                dims: dims.collect(),
                nodes: nodes as u32,
                at: (0..nodes)
                    .flat_map(|node| grid.coordinates(NodeId::at(node)))
                    .map(|c| c as u32)
                    .collect(),
            }));
        }
        (nodes <= MOST_NODES).then(|| {
            Self::Remembered(RouteCache {
                topology,
                nodes,
                of_pair: vec![(0, UNKNOWN); nodes * nodes],
                channels: Vec::new(),
            })
        })
    }

    /// Visits the channels on the route of a message, and returns their number.
    #[inline]
    pub(in crate::refine) fn follow(&mut self, from: u32, to: u32, visit: impl FnMut(u32)) -> u32 {
        match self {
            Self::Grid(grid) => grid.follow(from, to, visit),
            Self::Remembered(cache) => {
                let route = cache.route(from, to);
                route.iter().copied().for_each(visit);
                route.len() as u32
            }
        }
    }
}

impl GridRoutes {
    #[inline]
    fn follow(&self, from: u32, to: u32, mut visit: impl FnMut(u32)) -> u32 {
        let axes = self.dims.len();
        let start = &self.at[from as usize * axes..][..axes];
        let end = &self.at[to as usize * axes..][..axes];
        let (mut node, mut hops) = (from, 0);
        for (axis, dim) in self.dims.iter().enumerate() {
            let (mut here, there) = (start[axis], end[axis]);
            if here == there {
                continue;
            }
            let apart = here.abs_diff(there);
            let ahead = if there > here {
                apart
            } else {
                dim.size - apart
            };
            let forward = if dim.wraps {
                2 * ahead <= dim.size
            } else {
                there > here
            };
            let steps = match (dim.wraps, forward) {
                (false, _) => apart,
                (true, true) => ahead,
                (true, false) => dim.size - ahead,
            };
            let base = (2 * axis as u32 + u32::from(!forward)) * self.nodes;
            for _ in 0..steps {
                visit(base + node);
                let next = match (forward, here) {
                    (true, c) if c + 1 == dim.size => 0,
                    (true, c) => c + 1,
                    (false, 0) => dim.size - 1,
                    (false, c) => c - 1,
                };
                node = node + next * dim.stride - here * dim.stride;
                here = next;
            }
            hops += steps;
        }
        hops
    }
}

impl RouteCache<'_> {
    #[inline]
    fn route(&mut self, from: u32, to: u32) -> &[u32] {
        let pair = from as usize * self.nodes + to as usize;
        if self.of_pair[pair].1 == UNKNOWN {
            self.learn(pair, from, to);
        }
        let (first, count) = self.of_pair[pair];
        &self.channels[first as usize..][..count as usize]
    }

    #[cold]
    fn learn(&mut self, pair: usize, from: u32, to: u32) {
        if self.channels.len() > MOST_CHANNELS {
            self.channels.clear();
            self.of_pair.fill((0, UNKNOWN));
        }
        let first = self.channels.len();
        let channels = &mut self.channels;
        self.topology
            .route(NodeId(from), NodeId(to), &mut |c| channels.push(c.0));
        self.of_pair[pair] = (first as u32, (self.channels.len() - first) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_model::machine::parse;

    #[test]
    fn routes_are_those_of_the_topology() {
        for spec in [
            "torus:4x3x2",
            "torus:5",
            "mesh:3x4",
            "hypercube:4",
            "xgft:3,4,2:1,2,2",
            "dragonfly:3,4,2,3",
            "percs:2",
        ] {
            let topology = parse(spec).unwrap();
            let mut routes = Routes::new(&*topology).unwrap();
            let nodes = topology.nodes() as u32;
            for (from, to) in (0..nodes * nodes).map(|i| (i / nodes, i % nodes)) {
                let (mut expected, mut found) = (Vec::new(), Vec::new());
                topology.route(NodeId(from), NodeId(to), &mut |c| expected.push(c.0));
                let hops = routes.follow(from, to, |c| found.push(c));
                assert_eq!((found.len() as u32, &found), (hops, &expected), "{spec}");
            }
        }
    }
}
