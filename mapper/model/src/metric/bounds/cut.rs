//! The cut bound: every link class of the machine is crossed by what some cut of the graph must
//! carry.
//!
//! On meshes, even tori and trees hops are sums over cuts of the machine: a mesh's planes between
//! coordinates, a torus's pairs of opposite planes, the subtrees of a tree. Whatever the placement,
//! the bytes across such a cut are at least those of the graph's cheapest cut into parts that fit
//! the two sides. Cheapest cuts by size are exact here, by looking at every subset, hence for few
//! ranks only.

use super::Bound;
use crate::comm::Affinity;
use crate::ids::{NodeId, Rank};
use crate::machine::{Grid, Machine, Structure};

/// Subsets are enumerated up to this many ranks.
const MOST_RANKS: usize = 18;

pub(super) struct Cut;

impl Bound for Cut {
    fn name(&self) -> &'static str {
        "cut"
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine) -> Option<u128> {
        let ranks = affinity.ranks();
        if ranks == 0 || ranks > MOST_RANKS {
            return None;
        }
        let topology = machine.topology();
        let sides = match topology.structure() {
            Structure::Grid(grid) => grid_sides(grid)?,
            Structure::Tree(arities) => subtrees(arities),
            Structure::Groups(_) | Structure::Unknown => return None,
        };
        let cheapest = cheapest_cuts(affinity);
        let total = machine.slots().len();
        Some(
            sides
                .iter()
                .map(|side| {
                    let room: usize = side
                        .iter()
                        .map(|&node| machine.slots().capacity(NodeId::at(node)) as usize)
                        .sum();
                    let least = ranks.saturating_sub(total - room);
                    let bytes = (least..=room.min(ranks)).map(|size| cheapest[size]).min();
                    u128::from(bytes.unwrap_or(0))
                })
                .sum(),
        )
    }
}

/// The nodes below each vertex but the root, from the nodes themselves up.
fn subtrees(arities: &[usize]) -> Vec<Vec<usize>> {
    let nodes: usize = arities.iter().product();
    let (mut subtrees, mut size) = (Vec::new(), 1);
    for arity in arities.iter().rev() {
        subtrees.extend(
            (0..nodes)
                .step_by(size)
                .map(|first| (first..first + size).collect()),
        );
        size *= arity;
    }
    subtrees
}

/// One side of every cut whose crossings add up to the hops; none for a torus of an odd ring.
fn grid_sides(grid: &Grid) -> Option<Vec<Vec<usize>>> {
    let nodes: usize = grid.dims().iter().product();
    let mut sides = Vec::new();
    let mut stride = nodes;
    for &k in grid.dims() {
        stride /= k;
        let coordinate = |node: usize| node / stride % k;
        // A ring is cut at two opposite links; of a ring of two, both are the one cable.
        let (cuts, width) = match grid.wraps() {
            true if k % 2 == 1 && k > 1 => return None,
            true => (k / 2, k / 2),
            false => (k - 1, 0),
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

/// The least bytes between a set of ranks and the others, by the size of the set.
fn cheapest_cuts(affinity: &Affinity) -> Vec<u64> {
    let ranks = affinity.ranks();
    let mut cheapest = vec![u64::MAX; ranks + 1];
    (cheapest[0], cheapest[ranks]) = (0, 0);
    let (mut set, mut bytes) = (0u32, 0u64);
    // Gray code: from one subset to the next a single rank changes sides.
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
