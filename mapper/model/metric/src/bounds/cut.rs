//! The bound `cut`: every cut of the machine is crossed by at least the bytes of the cheapest cut
//! of the graph.
//!
//! Idea: on meshes, tori with rings of even size, and trees, the hops between two nodes are the
//! number of certain cuts of the machine that separate them. On a mesh these are the planes between
//! coordinates, on a torus the pairs of opposite planes, on a tree the subtrees. Where a tree has
//! distances of its own, a subtree counts half of what its level adds to the distance. Whatever the
//! placement, the bytes across such a cut are at least the bytes of the cheapest cut of the graph
//! into two parts that fit the two sides.
//!
//! ```text
//! mesh:4   n0 | n1 | n2 | n3     hops(n0, n3) = 3 cuts; with one slot a node, the middle cut
//!                                carries at least the cheapest cut of the graph into halves
//! ```
//!
//! The cheapest cuts are found exactly, by trying every subset of the ranks: O(2^n x degree) for n
//! ranks, so the bound is for few ranks only. The argument is the project's own.

use super::{Bound, BoundEffort};
use rankfold_base::{NodeId, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::{Grid, Machine, Structure};

/// Most ranks whose subsets are enumerated. Chosen by hand; not measured.
const MAX_RANKS: usize = 18;

pub(super) struct Cut;

impl Bound for Cut {
    fn name(&self) -> &'static str {
        "cut"
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine, _: BoundEffort) -> Option<u128> {
        let ranks = affinity.ranks();
        if ranks == 0 || ranks > MAX_RANKS {
            return None;
        }
        let topology = machine.topology();
        let sides = match topology.structure() {
            Structure::Grid(grid) => {
                let sides = grid_sides(grid)?.into_iter();
                sides.map(|side| (side, 2)).collect()
            }
            Structure::Tree(arities) => subtrees(arities, topology.rules().distances.as_deref()),
            Structure::Groups(_) | Structure::Unknown => return None,
        };
        let cheapest = cheapest_cuts(affinity);
        let total = machine.slots().len();
        let twice: u128 = sides
            .iter()
            .map(|(side, halves)| {
                let room: usize = side
                    .iter()
                    .map(|&node| machine.slots().capacity(NodeId::at(node)) as usize)
                    .sum();
                let least = ranks.saturating_sub(total - room);
                let bytes = (least..=room.min(ranks)).map(|size| cheapest[size]).min();
                u128::from(bytes.unwrap_or(0)) * halves
            })
            .sum();
        Some(twice.div_ceil(2))
    }
}

/// The nodes below each vertex of a tree except the root, from the leaves upwards, each with what
/// its level adds to the distance: 2 where distances are links.
fn subtrees(arities: &[usize], distances: Option<&[u16]>) -> Vec<(Vec<usize>, u128)> {
    let nodes: usize = arities.iter().product();
    let (mut subtrees, mut size, mut inside) = (Vec::new(), 1, 0);
    for (level, arity) in arities.iter().rev().enumerate() {
        let distance = distances.map_or(2 * (level as u128 + 1), |all| all[level].into());
        subtrees.extend((0..nodes).step_by(size).map(|first| {
            let below = (first..first + size).collect();
            (below, distance - inside)
        }));
        (size, inside) = (size * arity, distance);
    }
    subtrees
}

/// One side of every cut, such that the number of cuts that separate two nodes is their distance.
/// `None` for a torus with a ring of odd size.
fn grid_sides(grid: &Grid) -> Option<Vec<Vec<usize>>> {
    let nodes: usize = grid.dims().iter().product();
    let mut sides = Vec::new();
    let mut stride = nodes;
    for &k in grid.dims() {
        stride /= k;
        let coordinate = |node: usize| node / stride % k;
        // A ring is cut at two opposite links. In a ring of two nodes both cuts are the same cable.
        let (cuts, width) = if !grid.wraps() {
            (k - 1, 0)
        } else if k % 2 == 1 && k > 1 {
            return None;
        } else {
            (k / 2, k / 2)
        };
        for cut in 0..cuts {
            let inside = |node: &usize| match width {
                0 => coordinate(*node) <= cut,
                _ => (coordinate(*node) + k - cut) % k < width,
            };
            sides.push((0..nodes).filter(inside).collect());
        }
    }
    Some(sides)
}

/// For every size, the least bytes between a set of so many ranks and the other ranks.
fn cheapest_cuts(affinity: &Affinity) -> Vec<u64> {
    let ranks = affinity.ranks();
    let mut cheapest = vec![u64::MAX; ranks + 1];
    (cheapest[0], cheapest[ranks]) = (0, 0);
    let (mut set, mut bytes) = (0u32, 0u64);
    // In Gray code, each subset differs from the previous one by a single rank.
    for step in 1u32..1 << ranks {
        let rank = step.trailing_zeros();
        set ^= 1 << rank;
        let joined = set >> rank & 1 == 1;
        for (partner, between) in affinity.partners(Rank(rank)) {
            let together = (set >> partner.0 & 1 == 1) == joined;
            bytes = if together {
                bytes - between
            } else {
                bytes + between
            };
        }
        let size = set.count_ones() as usize;
        cheapest[size] = cheapest[size].min(bytes);
    }
    cheapest
}
