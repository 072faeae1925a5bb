//! Factorisations of one grid onto another, ranked in closed form.
//!
//! Every source dimension is written as a product with one factor for each target dimension; the
//! factors that land in a target dimension multiply to its size. A source coordinate becomes
//! reflected digits, one per factor; a target coordinate is its digits stacked fine to coarse,
//! reflected again. One step along a source dimension then changes one digit by one. In the finest
//! digit of a target dimension that is one hop; in a digit above `s` cells it is 1, 3, .. or 2s - 1
//! hops, each equally often.
//!
//! Grids have been embedded by reflected Gray codes since Chan and Saad, "Multigrid algorithms on
//! the hypercube multiprocessor", 1986; mixed radices, boxes, cores, levels and the ranking are
//! ours.

mod enumerate;

use super::digits;
use super::maps::{IndexMap, dot, for_each_cell, strides};
pub(super) use enumerate::best;
use rankfold_model::pattern::Stencil;

/// A grid as the closed form sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    /// Size of every dimension.
    pub(super) dims: Vec<usize>,
    /// Bytes that go one step along each dimension.
    pub(super) weights: Vec<f64>,
    /// Whether the two ends of a dimension talk.
    pub(super) periodic: Vec<bool>,
}

impl Source {
    /// Cells of the grid.
    pub(super) fn cells(&self) -> usize {
        self.dims.iter().product()
    }

    /// The grid of a stencil; an offset of several steps weighs on each of its dimensions.
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
            periodic: stencil.periodic.clone(),
        }
    }
}

/// One way to lay the source grid into the target.
#[derive(Clone, Debug)]
pub(super) struct Factorisation {
    /// `factors[i][j]`: share of source dimension `i` in target dimension `j`.
    factors: Vec<Vec<usize>>,
    /// For every source dimension, the target dimensions of its digits, fastest first.
    fast_first: Vec<Vec<usize>>,
    /// For every target dimension, the source dimensions of its digits, finest first.
    fine_first: Vec<Vec<usize>>,
    /// Expected hop-bytes under the closed form, by the weights of [`best`].
    pub(super) cost: f64,
}

impl Factorisation {
    /// Sizes of the target.
    pub(super) fn to(&self) -> Vec<usize> {
        let size = |j: usize| self.factors.iter().map(|row| row[j]).product();
        (0..self.fine_first.len()).map(size).collect()
    }

    /// Where every cell goes.
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

    /// Digits of every coordinate along source dimension `i`, a row of one for each target
    /// dimension.
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

    /// `16 = 8 along 0 x 2 along 1, ..`: every source dimension with its factors, the fast one
    /// first.
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
