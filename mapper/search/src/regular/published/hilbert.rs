//! `hilbert`: space-filling curves (heuristic 3 of section VI). Cost: O(n log n) for n ranks.

use super::AFFORDABLE;
use crate::regular::grid_ranks::GridRanks;
use rankfold_base::{NodeId, SlotId};
use rankfold_problem::heuristic::{About, Family, Heuristic, NotApplicable, Placed, Problem};

/// The ranks in the order of a Hilbert curve through their grid, on the nodes in the order of a
/// Hilbert curve through the mesh.
///
/// Grid and mesh may have any number of dimensions. Where the sizes are not powers of two, the
/// curve through the enclosing cube is followed and cells outside the box are skipped.
///
/// ```
/// use rankfold_search::regular::Hilbert;
/// // the cells of a 4x4 grid, numbered row by row, in the order of the curve
/// assert_eq!(Hilbert::order(&[4, 4]), [
///      0,  4,  5,  1,
///      2,  3,  7,  6,
///     10, 11, 15, 14,
///     13,  9,  8, 12,
/// ]);
/// ```
#[derive(Debug)]
pub struct Hilbert;

impl Heuristic for Hilbert {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "hilbert",
            Family::Regular,
            "a Hilbert curve through the grid laid along one through the mesh (Bhatele 2010, VI.3)",
        )
        .up_to(AFFORDABLE);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let stencil = problem.pattern.stencil();
        let stencil = stencil.ok_or_else(|| NotApplicable("the ranks form no grid".into()))?;
        let grid = problem.machine.topology().structure().grid();
        let grid = grid.ok_or_else(|| NotApplicable("the machine is no mesh or torus".into()))?;
        let slots = problem.machine.slots();
        if stencil.cells() > slots.len() {
            return Err(NotApplicable("the grid has more cells than slots".into()));
        }
        let nodes = Self::order(grid.dims()).into_iter().map(NodeId::at);
        let on_curve =
            nodes.flat_map(|node| slots.on(node).map(|slot: SlotId| slots.node_of(slot)));
        let mut node_of_cell = vec![NodeId(0); stencil.cells()];
        for (cell, node) in Self::order(&stencil.dims).into_iter().zip(on_curve) {
            node_of_cell[cell] = node;
        }
        let placement = GridRanks::of(stencil, problem).placement(&node_of_cell)?;
        Ok(placement.into())
    }
}

impl Hilbert {
    /// The cells of a box, numbered with the last dimension fastest, in the order of the curve.
    #[must_use]
    pub fn order(sizes: &[usize]) -> Vec<usize> {
        let longest = sizes.iter().copied().max().unwrap_or(1);
        let bits = longest.next_power_of_two().trailing_zeros().max(1);
        let mut cells: Vec<(u128, usize)> = (0..sizes.iter().product())
            .map(|cell| (position(&coordinates(cell, sizes), bits), cell))
            .collect();
        cells.sort_unstable();
        cells.into_iter().map(|(_, cell)| cell).collect()
    }
}

fn coordinates(cell: usize, sizes: &[usize]) -> Vec<u32> {
    let mut rest = cell;
    let mut at = vec![0; sizes.len()];
    for (c, &size) in at.iter_mut().zip(sizes).rev() {
        *c = (rest % size) as u32;
        rest /= size;
    }
    at
}

/// The position of a cell on the curve through a cube of side 2^bits.
///
/// Source: Skilling, "Programming the Hilbert curve", 2004. From the highest bit on, the reflection
/// of the sub-cube that holds the cell is undone; the Gray code of the remaining bits is the number
/// of the sub-cube.
fn position(at: &[u32], bits: u32) -> u128 {
    let mut x = at.to_vec();
    for bit in (1..bits).rev() {
        let below = (1 << bit) - 1;
        for i in 0..x.len() {
            if x[i] >> bit & 1 == 1 {
                x[0] ^= below;
            } else {
                let differ = (x[0] ^ x[i]) & below;
                x[0] ^= differ;
                x[i] ^= differ;
            }
        }
    }
    for i in 1..x.len() {
        x[i] ^= x[i - 1];
    }
    let last = x.last().copied().unwrap_or_default();
    let flips = (1..bits)
        .filter(|bit| last >> bit & 1 == 1)
        .fold(0, |flips, bit| flips ^ ((1u32 << bit) - 1));
    (0..bits).rev().fold(0, |position, bit| {
        let digits = x.iter().map(|c| u128::from((c ^ flips) >> bit & 1));
        digits.fold(position, |position, digit| position << 1 | digit)
    })
}
