//! How ranks are numbered in their grid.

use super::Stencil;
use rankfold_base::Rank;
use schemars::JsonSchema;

/// The cell of the grid that every rank has. Cells are numbered row-major; the last dimension
/// varies fastest.
///
/// Column-major ranks are the same as row-major ranks of the grid with reversed dimensions, and are
/// reported as such.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(tag = "order", rename_all = "lowercase")]
pub enum Numbering {
    /// Rank `r` has cell `r`.
    Rows,
    /// Ranks fill one block of the grid after the other, for example if every node holds a tile.
    /// Blocks may consist of smaller blocks. Morton order is blocks of 2 within blocks of 2, and so
    /// on.
    ///
    /// ```text
    /// 4 x 4 grid in blocks of 2 x 2:   0  1  4  5
    ///                                  2  3  6  7
    ///                                  8  9 12 13
    ///                                 10 11 14 15
    /// ```
    Blocks {
        /// The digits of a rank, the slowest first. Each digit counts along one dimension of the
        /// grid.
        digits: Vec<Digit>,
    },
    /// No rule: lists the cell of every rank, or `null` for a rank outside the grid.
    Permuted {
        /// The cell of every rank; `None` for a rank outside the grid.
        cells: Vec<Option<u32>>,
    },
}

/// One digit of a rank in a mixed radix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Digit {
    /// The dimension along which the digit counts.
    pub dim: usize,
    /// The radix of the digit.
    pub size: usize,
}

impl Numbering {
    /// The cell of `rank` in a grid of these sizes; `None` if the rank is outside the grid.
    pub(super) fn cell(&self, rank: usize, dims: &[usize]) -> Option<usize> {
        match self {
            Self::Rows => (rank < dims.iter().product()).then_some(rank),
            Self::Blocks { digits } => Some(cell_in_blocks(rank, digits, dims)),
            Self::Permuted { cells } => cells[rank].map(|cell| cell as usize),
        }
    }

    /// The numbering after renaming all `ranks` ranks.
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
    // `worth` is what one step of the next digit along each dimension adds to the cell.
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
    /// Number of cells, the product of the sizes. There are more cells than ranks if a cell is
    /// empty, and fewer if a rank is outside the grid.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.dims.iter().product()
    }

    /// Row-major number of the cell of `rank`; `None` if the rank is outside the grid.
    #[must_use]
    pub fn cell(&self, rank: Rank) -> Option<usize> {
        self.numbering.cell(rank.index(), &self.dims)
    }

    /// Number of the first `ranks` ranks that have a cell.
    pub(super) fn seats(&self, ranks: usize) -> usize {
        match &self.numbering {
            Numbering::Permuted { cells } => cells.iter().flatten().count(),
            Numbering::Rows | Numbering::Blocks { .. } => ranks.min(self.cells()),
        }
    }

    /// Coordinates of a cell along every dimension.
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
