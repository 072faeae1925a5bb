//! The channels that messages between two nodes load, found faster than by asking the topology.
//!
//! On meshes and tori with one path for each pair the channels follow from the coordinates;
//! elsewhere each route is asked for once and remembered.
//!
//! Where messages divide over several paths, a channel carries a share of their bytes. Shares are
//! whole numbers of *parts* of a byte, so that sums of loads are exact: 2 parts where only half-way
//! ties go both ways, [`HEDGE_PARTS`] where nobody knows the way of ties, up to [`MOST_PARTS`]
//! where messages take all shortest paths.
//!
//! Where nobody knows the way of a tie, both ways carry the share [`HEDGE`] of its bytes, which is
//! more than the message in all. [`RouteSize::surplus`] is the transfer time that this adds.

use super::remembered::{RouteCache, RouteSize};
use rankfold_base::{ChannelId, NodeId};
use rankfold_machine::{HEDGE, PathChoice, Paths, Ties, Topology};
use rankfold_problem::objective::UnknownTies;

/// The routes of networks with at most this many nodes are remembered. The table has 8 bytes for
/// each pair of nodes, 128 MiB at this size, and 12 where messages take several paths.
const MOST_NODES: usize = 4096;

/// Parts of a byte where messages take all shortest paths, and the fewest with which shares are
/// still told apart.
const MOST_PARTS: i64 = 1 << 20;
const FEWEST_PARTS: i64 = 1 << 10;

/// Parts of a byte where nobody knows the way of ties. [`HEDGE`] is a whole number of them.
const HEDGE_PARTS: i64 = 4;

/// Routes of one topology, for searches that follow the same pairs again and again.
pub(crate) struct Routes<'a> {
    kind: RouteKind<'a>,
    /// The number of parts that a byte has.
    parts: i64,
}

enum RouteKind<'a> {
    Grid(GridRoutes),
    Remembered(RouteCache<'a>),
}

/// Routes in dimension order, with the channel numbers of [`Topology::route`].
struct GridRoutes {
    /// In the order in which they are routed.
    axes: Vec<Axis>,
    nodes: u32,
    ties: Ties,
    /// The parts of a byte that each way of a tie carries that goes both ways or an unknown way.
    each_way: i64,
    /// The coordinates of all nodes, node by node.
    at: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Axis {
    dim: u32,
    size: u32,
    stride: u32,
    wraps: bool,
    /// The time of a byte on two links that the shares of a tie count beyond that of one.
    surplus: f64,
}

impl<'a> Routes<'a> {
    /// The routes for messages of `bytes` bytes in all. `None` for networks too large to remember,
    /// and for more bytes than can be divided into parts.
    pub(crate) fn new(
        topology: &'a dyn Topology,
        unknown: UnknownTies,
        bytes: u128,
    ) -> Option<Self> {
        let most = (i64::MAX as u128 / bytes.max(1)) as i64;
        let is_grid = topology.structure().grid().is_some();
        if is_grid && topology.rules().paths != Some(Paths::Spread) {
            let (grid, parts) = GridRoutes::new(topology, unknown)?;
            let kind = RouteKind::Grid(grid);
            return (parts <= most).then_some(Self { kind, parts });
        }
        let nodes = topology.nodes();
        let (parts, fewest) = match topology.path_choice() {
            PathChoice::Several => (most.min(MOST_PARTS), FEWEST_PARTS),
            PathChoice::Fixed | PathChoice::Unknown => (1, 1),
        };
        let counts_links = parts == 1 && topology.by_links().is_none();
        let possible = nodes <= MOST_NODES && parts >= fewest;
        possible.then(|| Self {
            kind: RouteKind::Remembered(RouteCache::new(topology, parts, counts_links)),
            parts,
        })
    }

    /// The number of parts that a byte has.
    pub(crate) fn parts(&self) -> i64 {
        self.parts
    }

    /// Reads the routes between a node and others, both ways, so that following them is fast.
    #[inline]
    pub(crate) fn read_ahead(&self, from: u32, others: impl Iterator<Item = u32>) {
        if let RouteKind::Remembered(cache) = &self.kind {
            cache.read_ahead(from, others);
        }
    }

    /// Visits the channels that carry a message, with the parts of each byte that they carry.
    #[inline]
    pub(crate) fn follow(&mut self, from: u32, to: u32, visit: impl FnMut(u32, i64)) -> RouteSize {
        match &mut self.kind {
            RouteKind::Grid(grid) => grid.follow(from, to, self.parts, visit),
            RouteKind::Remembered(cache) => cache.follow(from, to, visit),
        }
    }
}

impl GridRoutes {
    /// The routes of a mesh or torus, and the number of parts that a byte has.
    fn new(topology: &dyn Topology, unknown: UnknownTies) -> Option<(Self, i64)> {
        let grid = topology.structure().grid()?;
        let (dims, nodes) = (grid.dims(), grid.nodes());
        let known = topology.rules().ties.unwrap_or_default();
        let (ties, parts, each_way) = match (topology.path_choice(), unknown) {
            (PathChoice::Fixed, _) => (known, 1, 0),
            (PathChoice::Several, _) => (known, 2, 1),
            (PathChoice::Unknown, UnknownTies::Upwards) => (Ties::Plus, 1, 0),
            (PathChoice::Unknown, UnknownTies::AsTimed) => {
                (known, HEDGE_PARTS, (HEDGE * HEDGE_PARTS as f64) as i64)
            }
        };
        let beyond = (2 * each_way - parts).max(0) as f64 / parts as f64;
        let axis = |dim: usize| Axis {
            dim: dim as u32,
            size: dims[dim] as u32,
            stride: dims[dim + 1..].iter().product::<usize>() as u32,
            wraps: grid.wraps(),
            surplus: beyond / topology.bandwidth(ChannelId::at(2 * dim * nodes)),
        };
        let order = topology.rules().order.clone();
        let order = order.unwrap_or_else(|| (0..dims.len()).collect());
        let at = (0..nodes).flat_map(|node| grid.coordinates(NodeId::at(node)));
        let routes = Self {
            axes: order.into_iter().map(axis).collect(),
            nodes: nodes as u32,
            ties,
            each_way,
            at: at.map(|c| c as u32).collect(),
        };
        Some((routes, parts))
    }

    #[inline]
    fn follow(&self, from: u32, to: u32, parts: i64, mut visit: impl FnMut(u32, i64)) -> RouteSize {
        let dims = self.axes.len();
        let start = &self.at[from as usize * dims..][..dims];
        let end = &self.at[to as usize * dims..][..dims];
        let (mut node, mut size) = (from, RouteSize::default());
        for axis in &self.axes {
            let (here, there) = (start[axis.dim as usize], end[axis.dim as usize]);
            if here == there {
                continue;
            }
            let line = node - here * axis.stride;
            let apart = here.abs_diff(there);
            let ahead = if there > here {
                apart
            } else {
                axis.size - apart
            };
            let steps = if axis.wraps {
                ahead.min(axis.size - ahead)
            } else {
                apart
            };
            size.hops += steps;
            let is_tie = axis.wraps && 2 * ahead == axis.size && axis.size > 2;
            let upwards = match (is_tie, axis.wraps) {
                (true, _) => self.ties.upwards(here as usize, axis.size as usize),
                (false, true) => Some(2 * ahead <= axis.size),
                (false, false) => Some(there > here),
            };
            let (ways, share): (&[bool], i64) = match upwards {
                Some(true) => (&[true], parts),
                Some(false) => (&[false], parts),
                None => (&[true, false], self.each_way),
            };
            for &upwards in ways {
                let base = (2 * axis.dim + u32::from(!upwards)) * self.nodes + line;
                axis.run(here, steps, upwards, |at| {
                    visit(base + at * axis.stride, share);
                });
                size.links += steps;
            }
            if upwards.is_none() {
                size.surplus += f64::from(steps) * axis.surplus;
            }
            node = line + there * axis.stride;
        }
        size
    }
}

impl Axis {
    /// Visits the coordinates that are left on the way from `here`.
    #[inline]
    fn run(&self, mut here: u32, steps: u32, upwards: bool, mut visit: impl FnMut(u32)) {
        for _ in 0..steps {
            visit(here);
            here = match (upwards, here) {
                (true, c) if c + 1 == self.size => 0,
                (true, c) => c + 1,
                (false, 0) => self.size - 1,
                (false, c) => c - 1,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_machine::parse;
    use std::collections::BTreeMap;

    /// The share of every channel on the way between two nodes, and the number of hops.
    fn found(routes: &mut Routes<'_>, from: u32, to: u32) -> (BTreeMap<u32, f64>, RouteSize) {
        let (mut shares, parts) = (BTreeMap::new(), routes.parts() as f64);
        let size = routes.follow(from, to, |channel, share| {
            *shares.entry(channel).or_insert(0.0) += share as f64 / parts;
        });
        (shares, size)
    }

    #[test]
    fn routes_are_those_of_the_topology_whatever_its_rules() {
        for spec in [
            "torus:3x5x2",
            "torus:4x6/ties=+",
            "torus:4x6/ties=-,order=1,0",
            "torus:4x6/ties=source",
            "torus:4x6x2/ties=split,order=2,0,1",
            "torus:5",
            "torus:4x4/routes=spread",
            "mesh:3x4/order=1,0",
            "mesh:3x4/routes=spread",
            "hypercube:4",
            "xgft:3,4,2:1,2,2",
            "xgft:3,4,2:1,2,2/routes=spread",
            "dragonfly:3,4,2,3",
            "dragonfly:3,4,2,3/routes=spread",
            "percs:2",
        ] {
            let topology = parse(spec).unwrap();
            let mut routes = Routes::new(&*topology, UnknownTies::AsTimed, 1 << 30).unwrap();
            let nodes = topology.nodes() as u32;
            for (from, to) in (0..nodes * nodes).map(|i| (i / nodes, i % nodes)) {
                let mut expected = BTreeMap::new();
                topology.route_shares(NodeId(from), NodeId(to), &mut |channel, share| {
                    *expected.entry(channel.0).or_insert(0.0) += share;
                });
                let (shares, size) = found(&mut routes, from, to);
                assert!(shares.keys().eq(expected.keys()), "{spec}: {from} to {to}");
                let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-5;
                assert!(shares.values().zip(expected.values()).all(close), "{spec}");
                assert_eq!(size.hops, topology.hops(NodeId(from), NodeId(to)), "{spec}");
            }
        }
    }

    #[test]
    fn ties_of_an_unknown_way_load_both_ways_as_predicted_time_counts_them() {
        let topology = parse("torus:4x3@2,1").unwrap();
        let mut routes = Routes::new(&*topology, UnknownTies::AsTimed, 1).unwrap();
        // From (2, 0) to (0, 1): two links in each direction of dimension 0, one of dimension 1.
        let (shares, size) = found(&mut routes, 6, 1);
        let ties = [6, 9, 18, 15].map(|channel| (channel, HEDGE));
        let expected = ties.into_iter().chain([(24, 1.0)]).collect();
        assert_eq!(shares, expected);
        assert_eq!((size.hops, size.links), (3, 5));
        assert_eq!(size.surplus, 2.0 * (2.0 * HEDGE - 1.0) / 2.0);
    }

    #[test]
    fn ties_of_an_unknown_way_go_upwards_where_the_papers_figures_are_lowered() {
        let topology = parse("torus:4").unwrap();
        let mut routes = Routes::new(&*topology, UnknownTies::Upwards, 1).unwrap();
        let (shares, size) = found(&mut routes, 2, 0);
        assert_eq!(shares, BTreeMap::from([(2, 1.0), (3, 1.0)]));
        assert_eq!((size.hops, size.links, size.surplus), (2, 2, 0.0));
    }

    #[test]
    fn more_bytes_than_can_be_divided_are_refused() {
        let routes = |spec| {
            let topology = parse(spec).unwrap();
            Routes::new(&*topology, UnknownTies::AsTimed, 1 << 62).is_some()
        };
        let specs = ["torus:4/ties=+", "torus:4", "torus:4/routes=spread"];
        assert_eq!(specs.map(routes), [true, false, false]);
    }
}
