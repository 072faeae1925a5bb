//! Factorisations of one grid onto another, ranked by their expected hop-bytes in closed form.
//!
//! Every source dimension is written as a product with one factor for each target dimension. The
//! factors assigned to one target dimension multiply to its size. A source coordinate becomes
//! [reflected digits](super::digits), one for each factor, and a target coordinate is put together
//! from the digits assigned to it, finest digit first, with reflection again.
//!
//! One step along a source dimension then changes one digit by one. A change of the finest digit of
//! a target dimension is one hop; a change of a digit above `s` cells is 1, 3, .. or 2s - 1 hops,
//! each equally often. The sum of these means, weighted by bytes, is the cost in closed form.
//!
//! ```text
//! 16 ranks in a row onto 4x4: 16 = 4 x 4, the fast digit along each row (reflected)
//!  0  1  2  3
//!  7  6  5  4
//!  8  9 10 11      every step is one hop
//! 15 14 13 12
//! ```
//!
//! Source: Chan and Saad, "Multigrid algorithms on the hypercube multiprocessor", 1986, embed grids
//! in hypercubes by reflected Gray codes. Mixed radices, boxes, cores, levels and the ranking are
//! new here. Cost: a bounded number of bounds for the ranking; [`Factorisation::map`] is O(n d) for
//! n cells and d target dimensions.

mod enumerate;

use super::digits;
use super::maps::{IndexMap, dot, for_each_cell, strides};
pub(super) use enumerate::best;
use rankfold_pattern::Stencil;

/// The source grid: everything the closed form needs to know of a stencil.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourceGrid {
    /// Size of every dimension.
    pub(super) dims: Vec<usize>,
    /// Bytes that travel one step along each dimension, over all cells.
    pub(super) weights: Vec<f64>,
    /// Whether the first and the last cell along a dimension exchange messages.
    pub(super) periodic: Vec<bool>,
}

impl SourceGrid {
    /// Number of cells of the grid.
    pub(super) fn cells(&self) -> usize {
        self.dims.iter().product()
    }

    /// The source grid of a stencil. An offset of several steps adds to the weight of each
    /// dimension it steps along, once for every step.
    pub(super) fn of(stencil: &Stencil) -> Self {
        let steps = |dim: usize| {
            let bytes = stencil.offsets.iter().map(|offset| {
                f64::from(offset.steps[dim].abs()) * (offset.forward + offset.backward) as f64
            });
            bytes.sum()
        };
        Self {
            weights: (0..stencil.dims.len()).map(steps).collect(),
            dims: stencil.dims.clone(),
            periodic: stencil.rings(),
        }
    }
}

/// One way to map the source grid onto the target grid.
#[derive(Clone, Debug)]
pub(super) struct Factorisation {
    /// `factors[i][j]` is the factor of source dimension `i` that lies along target dimension `j`.
    factors: Vec<Vec<usize>>,
    /// For every source dimension, the target dimensions of its digits, fastest digit first.
    fast_first: Vec<Vec<usize>>,
    /// For every target dimension, the source dimensions of its digits, finest digit first.
    fine_first: Vec<Vec<usize>>,
    /// Expected hop-bytes in closed form, with the weights given to [`best`].
    pub(super) cost: f64,
}

impl Factorisation {
    /// Sizes of the target grid.
    pub(super) fn to(&self) -> Vec<usize> {
        let size = |j: usize| self.factors.iter().map(|row| row[j]).product();
        (0..self.fine_first.len()).map(size).collect()
    }

    /// The map from source cells to target cells.
    pub(super) fn map(&self) -> IndexMap {
        let from: Vec<usize> = self.factors.iter().map(|f| f.iter().product()).collect();
        let targets = self.fine_first.len();
        let to = self.to();
        let digits: Vec<Vec<usize>> = (0..from.len()).map(|i| self.digits(i, from[i])).collect();
        let strides = strides(&to);
        let mut image = Vec::with_capacity(from.iter().product());
        let mut cell = vec![0; targets];
        for_each_cell(&from, |at| {
            for (j, c) in cell.iter_mut().enumerate() {
                let order = self.fine_first[j].iter();
                *c = digits::stack(
                    order.map(|&i| (digits[i][at[i] * targets + j], self.factors[i][j])),
                );
            }
            image.push(dot(&cell, &strides) as u32);
        });
        IndexMap::new(from, to, image)
    }

    /// The digits of every coordinate along source dimension `i`: a row for each coordinate, a
    /// digit for each target dimension.
    fn digits(&self, i: usize, size: usize) -> Vec<usize> {
        let targets = self.fine_first.len();
        let mut table = vec![0; size * targets];
        for (value, row) in table.chunks_exact_mut(targets).enumerate() {
            let order = &self.fast_first[i];
            let radices = order.iter().map(|&j| self.factors[i][j]);
            for (digit, &j) in digits::split(value, radices).zip(order) {
                row[j] = digit;
            }
        }
        table
    }

    /// The factors of every source dimension in words, such as `16 = 8 along 0 x 2 along 1`, with
    /// the fastest factor first.
    pub(super) fn describe(&self) -> String {
        let dims = self.factors.iter().zip(&self.fast_first);
        dims.map(|(factors, order)| {
            let size: usize = factors.iter().product();
            let parts: Vec<String> = order
                .iter()
                .map(|&j| format!("{} along {}", factors[j], j))
                .collect();
            format!("{size} = {}", parts.join(" x "))
        })
        .collect::<Vec<_>>()
        .join(", ")
    }
}
