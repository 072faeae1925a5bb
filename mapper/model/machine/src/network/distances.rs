//! Distance oracles: hops between nodes by a few table look-ups, without a virtual call and without
//! a table of n^2 entries.
//!
//! [`Topology::hops`](super::Topology::hops) is for a few distances. A loop over messages or moves
//! fetches [`Topology::distances`](super::Topology::distances) once and uses its
//! [`hops`](Distances::hops).

use rankfold_base::NodeId;
use std::sync::Arc;

/// Number of dimensions that are computed together, in one vector register. A grid with more
/// dimensions has several groups of this size.
const LANES: usize = 4;

/// The hops between the nodes of one topology.
#[derive(Clone, Debug)]
pub struct Distances(Oracle);

#[derive(Clone, Debug)]
enum Oracle {
    Grid(GridHops),
    Hierarchy(TreeHops),
    Switched(SwitchHops),
}

impl Distances {
    /// The number of links on a shortest path between two nodes.
    #[inline]
    #[must_use]
    pub fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        match &self.0 {
            Oracle::Grid(grid) => grid.hops(from.index(), to.index()),
            Oracle::Hierarchy(tree) => tree.hops(from.index(), to.index()),
            Oracle::Switched(network) => network.hops(from.index(), to.index()),
        }
    }

    /// The number of the only switch that `node` hangs off; `None` if there is no such switch. All
    /// nodes below one switch are equally far from any other node.
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

    /// The oracle of a torus (`wraps`) or mesh. It takes 16 bytes for each node with up to four
    /// dimensions.
    pub(super) fn grid(dims: &[usize], wraps: bool) -> Self {
        Self(Oracle::Grid(GridHops::new(dims, wraps)))
    }

    /// The oracle of the leaves of a balanced hierarchy in depth-first order; `arities` are given
    /// from the root down. The distance is that of the level of the lowest common ancestor;
    /// `of_level` has one for every level, from the leaves up. It takes 8 bytes for each node.
    pub(super) fn hierarchy(arities: &[usize], of_level: &[u16]) -> Self {
        Self(Oracle::Hierarchy(TreeHops::new(arities, of_level)))
    }

    /// The oracle of nodes that hang off the points of a network: see `fabric::hops`.
    ///
    /// `point` is the point of every node, `below` the number of links between node and point: 0 if
    /// the node is the point itself, 1 if the point is its only switch. `between` is the row-major
    /// matrix of hops from points to `columns` vertices, of which the points are the first.
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

/// The coordinates of every node in groups of [`LANES`] dimensions, padded with zeros.
#[derive(Clone, Debug)]
struct GridHops {
    groups: usize,
    coordinates: Vec<[u32; LANES]>,
    /// The size of each ring; for the dimensions of a mesh a number so large that a path around the
    /// ring is never shorter.
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

/// The path from the root to every leaf as a bit string with one field for each level. The highest
/// bit in which two leaves differ tells the level at which their paths separate.
#[derive(Clone, Debug)]
struct TreeHops {
    paths: Vec<u64>,
    /// Number of bits of the lowest field, the index of a node below its switch.
    lowest: usize,
    /// Hops by the number of bits up to and including the highest differing bit.
    hops: [u16; 65],
}

impl TreeHops {
    fn new(arities: &[usize], of_level: &[u16]) -> Self {
        let nodes: usize = arities.iter().product();
        let mut paths = vec![0u64; nodes];
        let mut hops = [0; 65];
        let (mut below, mut bit, mut lowest) = (1, 0, 0);
        for (level, &arity) in arities.iter().rev().enumerate() {
            for (leaf, path) in paths.iter_mut().enumerate() {
                *path |= ((leaf / below % arity) as u64) << bit;
            }
            let width = arity.next_power_of_two().trailing_zeros() as usize;
            hops[bit + 1..=bit + width].fill(of_level[level]);
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

/// The point of every node, and the matrix of hops between points.
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
    use crate::parse;

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
    fn leaves_are_as_far_apart_as_the_level_of_their_common_ancestor_says() {
        let tree = Distances::hierarchy(&[2, 1, 3], &[2, 4, 6]);
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
