//! How the ranks are numbered along their grid.

use super::Stencil;
use crate::ids::Rank;

/// Which cell of the grid every rank is. Cells are numbered row-major, last dimension fastest.
///
/// Column-major ranks are row-major ranks of the grid with its dimensions reversed, and reported
/// so.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "order", rename_all = "lowercase")]
pub enum Numbering {
    /// Rank `r` is cell `r`.
    Rows,
    /// Ranks fill one block of the grid after the other, as where every node holds a tile of it.
    /// Blocks may be made of smaller blocks; Morton order is blocks of 2 in blocks of 2 all the
    /// way.
    Blocks {
        /// A rank's digits, the slowest first: each counts along one dimension of the grid.
        digits: Vec<Digit>,
    },
    /// No rule: every rank's cell, or `null` for a rank that is no part of the grid.
    Permuted {
        /// The cell of every rank; `None` for one that is no part of the grid.
        cells: Vec<Option<u32>>,
    },
}

/// One digit of a rank in mixed radix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Digit {
    /// The dimension it counts along.
    pub dim: usize,
    /// Its radix.
    pub size: usize,
}

impl Numbering {
    /// The cell of `rank` in a grid of the given sizes; `None` if it is no part of the grid.
    pub(super) fn cell(&self, rank: usize, dims: &[usize]) -> Option<usize> {
        match self {
            Self::Rows => (rank < dims.iter().product()).then_some(rank),
            Self::Blocks { digits } => Some(cell_in_blocks(rank, digits, dims)),
            Self::Permuted { cells } => cells[rank].map(|cell| cell as usize),
        }
    }

    /// This numbering after every one of `ranks` ranks is called by another name.
    pub(super) fn renamed(
        &self,
        dims: &[usize],
        ranks: usize,
        name: impl Fn(Rank) -> Rank,
    ) -> Self {
        let mut cells = vec![None; ranks];
        for rank in 0..ranks {
            cells[name(Rank::at(rank)).index()] = self.cell(rank, dims).map(|cell| cell as u32);
        }
        Self::Permuted { cells }
    }
}

fn cell_in_blocks(rank: usize, digits: &[Digit], dims: &[usize]) -> usize {
    // `worth` is what one step of the next digit along a dimension adds to the cell.
    let mut worth: Vec<usize> = (0..dims.len())
        .map(|dim| dims[dim + 1..].iter().product())
        .collect();
    let (mut rest, mut cell) = (rank, 0);
    for digit in digits.iter().rev() {
        cell += rest % digit.size * worth[digit.dim];
        worth[digit.dim] *= digit.size;
        rest /= digit.size;
    }
    cell
}

impl Stencil {
    /// Number of cells: the product of the sizes. More than ranks where a cell is empty, fewer
    /// where a rank is no part of the grid.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.dims.iter().product()
    }

    /// The cell of `rank`, row-major; `None` if it is no part of the grid.
    #[must_use]
    pub fn cell(&self, rank: Rank) -> Option<usize> {
        self.numbering.cell(rank.index(), &self.dims)
    }

    /// How many of `ranks` ranks have a cell.
    pub(super) fn seats(&self, ranks: usize) -> usize {
        match &self.numbering {
            Numbering::Permuted { cells } => cells.iter().flatten().count(),
            Numbering::Rows | Numbering::Blocks { .. } => ranks.min(self.cells()),
        }
    }

    /// Coordinates of a cell, one per dimension.
    #[must_use]
    pub fn coordinates(&self, cell: usize) -> Vec<usize> {
        let mut rest = cell;
        let mut at = vec![0; self.dims.len()];
        for (c, &k) in at.iter_mut().zip(&self.dims).rev() {
            *c = rest % k;
            rest /= k;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_name_the_cells_of_tiles() {
        let digit = |dim, size| Digit { dim, size };
        let digits = vec![digit(0, 2), digit(1, 2), digit(0, 2), digit(1, 2)];
        let tiles = Numbering::Blocks { digits };
        let cells: Vec<_> = (0..16).map(|r| tiles.cell(r, &[4, 4]).unwrap()).collect();
        assert_eq!(
            cells,
            [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
        );
    }
}
