//! Distance oracles: hop counts by a few table look-ups, without a virtual call and without an n^2
//! table.
//!
//! [`Topology::hops`](super::Topology::hops) is for the odd question; a loop over messages or moves
//! takes
//! [`Topology::distances`](super::Topology::distances) once and asks that.

use crate::ids::NodeId;
use std::sync::Arc;

/// Dimensions handled together; a grid of more takes several groups.
const LANES: usize = 4;

/// Hop counts between the nodes of one topology.
#[derive(Clone, Debug)]
pub struct Distances(Oracle);

#[derive(Clone, Debug)]
enum Oracle {
    Grid(GridHops),
    Hierarchy(TreeHops),
    Switched(SwitchHops),
}

impl Distances {
    /// Links on a shortest path between two nodes.
    #[inline]
    #[must_use]
    pub fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        match &self.0 {
            Oracle::Grid(grid) => grid.hops(from.index(), to.index()),
            Oracle::Hierarchy(tree) => tree.hops(from.index(), to.index()),
            Oracle::Switched(network) => network.hops(from.index(), to.index()),
        }
    }

    /// The only switch `node` hangs off, as a number: all nodes below one look alike to everybody
    /// else.
    #[must_use]
    pub fn switch(&self, node: NodeId) -> Option<u64> {
        match &self.0 {
            Oracle::Grid(_) => None,
            Oracle::Hierarchy(tree) => Some(tree.paths[node.index()] >> tree.lowest),
            Oracle::Switched(network) => {
                (network.below[node.index()] == 1).then(|| u64::from(network.point[node.index()]))
            }
        }
    }

    /// Torus (`wraps`) or mesh; memory 16 bytes a node for up to four dimensions.
    pub(super) fn grid(dims: &[usize], wraps: bool) -> Self {
        Self(Oracle::Grid(GridHops::new(dims, wraps)))
    }

    /// Leaves of a balanced hierarchy, depth first, `arities` from the root down: twice the level
    /// of the lowest common ancestor. Memory 8 bytes a node.
    pub(super) fn hierarchy(arities: &[usize]) -> Self {
        Self(Oracle::Hierarchy(TreeHops::new(arities)))
    }

    /// Nodes hanging off the points of a network.
    ///
    /// `point` and `below` give the point of every node and the links between the two (0: the node
    /// is the point itself, 1: its only switch); `between` is the row-major matrix of hops from
    /// points to the `columns` vertices the points are the first of.
    pub(super) fn switched(
        point: Arc<[u32]>,
        below: Arc<[u8]>,
        between: Arc<[u16]>,
        columns: usize,
    ) -> Self {
        Self(Oracle::Switched(SwitchHops {
            point,
            below,
            between,
            columns,
        }))
    }
}

/// Coordinates of every node, four dimensions a group, padded with zeros.
#[derive(Clone, Debug)]
struct GridHops {
    groups: usize,
    coordinates: Vec<[u32; LANES]>,
    /// Size of each ring; for an open dimension a number so large that the way round never pays.
    rings: Vec<[u32; LANES]>,
}

impl GridHops {
    fn new(dims: &[usize], wraps: bool) -> Self {
        let groups = dims.len().div_ceil(LANES).max(1);
        let nodes: usize = dims.iter().product();
        let mut rings = vec![[u32::MAX; LANES]; groups];
        if wraps {
            for (dim, &k) in dims.iter().enumerate() {
                rings[dim / LANES][dim % LANES] = k as u32;
            }
        }
        let mut coordinates = vec![[0; LANES]; groups * nodes];
        for (node, at) in coordinates.chunks_exact_mut(groups).enumerate() {
            let mut rest = node;
            for (dim, &k) in dims.iter().enumerate().rev() {
                at[dim / LANES][dim % LANES] = (rest % k) as u32;
                rest /= k;
            }
        }
        Self {
            groups,
            coordinates,
            rings,
        }
    }

    #[inline]
    fn hops(&self, from: usize, to: usize) -> u32 {
        if self.groups == 1 {
            return apart(
                &self.coordinates[from],
                &self.coordinates[to],
                &self.rings[0],
            );
        }
        let at = |node: usize| &self.coordinates[node * self.groups..][..self.groups];
        at(from)
            .iter()
            .zip(at(to))
            .zip(&self.rings)
            .map(|((a, b), rings)| apart(a, b, rings))
            .sum()
    }
}

#[inline]
fn apart(a: &[u32; LANES], b: &[u32; LANES], rings: &[u32; LANES]) -> u32 {
    (0..LANES)
        .map(|lane| {
            let apart = a[lane].abs_diff(b[lane]);
            apart.min(rings[lane] - apart)
        })
        .sum()
}

/// Every leaf's path from the root as a bit string with one field a level, so that the highest
/// differing bit of two leaves tells the level where their paths part.
#[derive(Clone, Debug)]
struct TreeHops {
    paths: Vec<u64>,
    /// Bits of the lowest field: what tells the nodes of one switch apart.
    lowest: usize,
    /// Hops by the number of bits up to the highest differing one.
    hops: [u16; 65],
}

impl TreeHops {
    fn new(arities: &[usize]) -> Self {
        let nodes: usize = arities.iter().product();
        let mut paths = vec![0u64; nodes];
        let mut hops = [0; 65];
        let (mut below, mut bit, mut lowest) = (1, 0, 0);
        for (level, &arity) in arities.iter().rev().enumerate() {
            for (leaf, path) in paths.iter_mut().enumerate() {
                *path |= ((leaf / below % arity) as u64) << bit;
            }
            let width = arity.next_power_of_two().trailing_zeros() as usize;
            hops[bit + 1..=bit + width].fill(2 * (level as u16 + 1));
            below *= arity;
            bit += width;
            if level == 0 {
                lowest = width;
            }
        }
        Self {
            paths,
            lowest,
            hops,
        }
    }

    #[inline]
    fn hops(&self, from: usize, to: usize) -> u32 {
        let differ = self.paths[from] ^ self.paths[to];
        u32::from(self.hops[(u64::BITS - differ.leading_zeros()) as usize])
    }
}

/// Nodes, the point each hangs off, and the matrix between points.
#[derive(Clone, Debug)]
struct SwitchHops {
    point: Arc<[u32]>,
    below: Arc<[u8]>,
    between: Arc<[u16]>,
    columns: usize,
}

impl SwitchHops {
    #[inline]
    fn hops(&self, from: usize, to: usize) -> u32 {
        if from == to {
            return 0;
        }
        let (a, b) = (self.point[from] as usize, self.point[to] as usize);
        u32::from(self.between[a * self.columns + b])
            + u32::from(self.below[from])
            + u32::from(self.below[to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::parse;

    #[test]
    fn oracles_agree_with_the_topology_on_every_pair() {
        for spec in ["torus:4x3x2", "torus:2x3x2x2x3", "mesh:5x4", "mesh:7x1x2"] {
            let topology = parse(spec).unwrap();
            let distances = topology.distances();
            for a in (0..topology.nodes()).map(NodeId::at) {
                for b in (0..topology.nodes()).map(NodeId::at) {
                    assert_eq!(
                        distances.hops(a, b),
                        topology.hops(a, b),
                        "{spec}: {a} to {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn leaves_are_twice_the_level_of_their_common_ancestor_apart() {
        let tree = Distances::hierarchy(&[2, 1, 3]);
        let hops: Vec<u32> = (0..6).map(|b| tree.hops(NodeId(0), NodeId(b))).collect();
        assert_eq!(hops, [0, 2, 2, 6, 6, 6]);
    }

    #[test]
    fn nodes_of_one_switch_are_as_far_from_every_other_node() {
        for spec in [
            "tree:3x2x4",
            "tree:2x1",
            "dragonfly:3,2,1,3",
            "percs:2",
            "mesh:3",
        ] {
            let distances = parse(spec).unwrap().distances();
            let nodes = parse(spec).unwrap().nodes();
            for (a, b) in (0..nodes * nodes).map(|i| (NodeId::at(i / nodes), NodeId::at(i % nodes)))
            {
                let others = (0..nodes).map(NodeId::at).filter(|&c| c != a && c != b);
                let alike = |c| distances.hops(a, c) == distances.hops(b, c);
                if distances.switch(a).is_some() && distances.switch(a) == distances.switch(b) {
                    assert!(others.into_iter().all(alike), "{spec}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn nodes_of_one_switch_meet_there_and_direct_nodes_count_no_extra_link() {
        // nodes 0 and 1 below point 0, node 2 is point 1 itself
        let between = [0, 3, 3, 0].into();
        let network = Distances::switched([0, 0, 1].into(), [1, 1, 0].into(), between, 2);
        let hops = |a, b| network.hops(NodeId(a), NodeId(b));
        assert_eq!(
            [hops(0, 0), hops(0, 1), hops(0, 2), hops(2, 2)],
            [0, 2, 4, 0]
        );
    }
}
