//! Lists the grids with a given number of points, and ranks them by how well their eigenvalues
//! match the eigenvalues of measured latencies.

use crate::Latencies;
use nalgebra::SymmetricEigen;
use std::f64::consts::TAU;

/// The sizes of a grid, and whether its dimensions wrap around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// One for each dimension, the largest first.
    pub(crate) of: Vec<usize>,
    pub(crate) wraps: bool,
}

/// Grids with more dimensions are not tried. Chosen by hand; not measured.
const MOST_DIMENSIONS: usize = 5;

impl Sizes {
    /// Whether a dimension is a ring. A ring of two hosts is a path.
    pub(super) fn is_ring(&self, dimension: usize) -> bool {
        self.wraps && self.of[dimension] > 2
    }

    /// The coordinates of a point, the last dimension fastest.
    pub(super) fn coordinates(&self, point: usize) -> Vec<usize> {
        let mut rest = point;
        let mut coordinates: Vec<usize> = self
            .of
            .iter()
            .rev()
            .map(|&size| {
                let at = rest % size;
                rest /= size;
                at
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    /// The matrix of hops between all points.
    pub(crate) fn distances(&self) -> Latencies {
        let n: usize = self.of.iter().product();
        let places: Vec<Vec<usize>> = (0..n).map(|point| self.coordinates(point)).collect();
        Latencies::from_fn(n, n, |i, j| {
            let hops = |dimension: usize| {
                let apart = places[i][dimension].abs_diff(places[j][dimension]);
                if self.is_ring(dimension) {
                    apart.min(self.of[dimension] - apart)
                } else {
                    apart
                }
            };
            (0..self.of.len()).map(hops).sum::<usize>() as f64
        })
    }

    /// The eigenvalues other than 0 that one dimension contributes to the centred matrix of hops,
    /// the most negative first: those of the dimension alone, times the number of its copies in the
    /// grid.
    pub(super) fn eigenvalues(&self, dimension: usize) -> Vec<f64> {
        let n: usize = self.of.iter().product();
        let size = self.of[dimension];
        let mut values = if self.is_ring(dimension) {
            ring(size)
        } else {
            path(size)
        };
        values.sort_by(f64::total_cmp);
        values
            .iter()
            .map(|value| value * (n / size) as f64)
            .collect()
    }
}

/// Eigenvalues of the centred hops of a ring. The matrix is circulant, so its eigenvalues are the
/// Fourier transform of its first row; the one of the constant vector is left out.
fn ring(size: usize) -> Vec<f64> {
    let value = |k: usize| {
        let term = |d: usize| d.min(size - d) as f64 * (TAU * (k * d) as f64 / size as f64).cos();
        (0..size).map(term).sum()
    };
    (1..size).map(value).collect()
}

/// Eigenvalues of the centred hops of a path, without the one of the constant vector.
fn path(size: usize) -> Vec<f64> {
    let distances = Latencies::from_fn(size, size, |i, j| i.abs_diff(j) as f64);
    let rows = distances.column_mean();
    let mean = rows.mean();
    let centre = |i: usize, j: usize| distances[(i, j)] - rows[i] - rows[j] + mean;
    let values = SymmetricEigen::new(Latencies::from_fn(size, size, centre)).eigenvalues;
    let mut values: Vec<f64> = values.iter().copied().collect();
    // The eigenvalue closest to 0 belongs to the constant vector.
    values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    values.split_off(1.min(values.len()))
}

/// The `most` grids of `n` points whose eigenvalues match the measured ones best, the best one
/// first. `found` holds the measured eigenvalues in ascending order.
pub(super) fn best(found: &[f64], n: usize, most: usize) -> Vec<Sizes> {
    let mut scored: Vec<(f64, Sizes)> = all(n)
        .into_iter()
        .map(|sizes| (agreement(found, &sizes, n), sizes))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.truncate(most);
    scored.into_iter().map(|(_, sizes)| sizes).collect()
}

/// The squared correlation of the measured eigenvalues with those of a grid: 1 if they differ by a
/// factor and an offset only. The offset is free because the diagonal is not measured.
fn agreement(found: &[f64], sizes: &Sizes, n: usize) -> f64 {
    let mut ideal: Vec<f64> = (0..sizes.of.len())
        .flat_map(|dimension| sizes.eigenvalues(dimension))
        .collect();
    ideal.resize(n, 0.0);
    ideal.sort_by(f64::total_cmp);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n as f64;
    let (of_found, of_ideal) = (mean(found), mean(&ideal));
    let (mut both, mut varying, mut explained) = (0.0, 0.0, 0.0);
    for (a, b) in found.iter().zip(&ideal) {
        both += (a - of_found) * (b - of_ideal);
        varying += (a - of_found).powi(2);
        explained += (b - of_ideal).powi(2);
    }
    if both <= 0.0 || varying == 0.0 {
        0.0
    } else {
        both * both / (varying * explained)
    }
}

/// Every torus and mesh of `n` points, those with few dimensions first. At most one dimension has
/// size 2, since a ring of 4 is the same as 2 by 2.
fn all(n: usize) -> Vec<Sizes> {
    let mut factorings = Vec::new();
    factor(n, n, &mut Vec::new(), &mut factorings);
    factorings.sort_by_key(Vec::len);
    let torus = |of: &Vec<usize>| of.iter().any(|&size| size > 2);
    factorings
        .into_iter()
        .flat_map(|of| {
            let wrapping = torus(&of).then(|| Sizes {
                of: of.clone(),
                wraps: true,
            });
            [wrapping, Some(Sizes { of, wraps: false })]
        })
        .flatten()
        .collect()
}

/// Appends every way to complete `chosen` by descending factors of `rest`, none larger than `most`.
fn factor(rest: usize, most: usize, chosen: &mut Vec<usize>, into: &mut Vec<Vec<usize>>) {
    if rest == 1 {
        if !chosen.is_empty() {
            into.push(chosen.clone());
        }
        return;
    }
    if chosen.len() == MOST_DIMENSIONS {
        return;
    }
    for size in (2..=most.min(rest))
        .rev()
        .filter(|size| rest.is_multiple_of(*size))
    {
        if size == 2 && chosen.last() == Some(&2) {
            continue;
        }
        chosen.push(size);
        factor(rest / size, size, chosen, into);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::centre::centred;

    #[test]
    fn grids_of_sixteen_points_are_named_once() {
        let named: Vec<Vec<usize>> = all(16)
            .into_iter()
            .filter(|sizes| sizes.wraps)
            .map(|sizes| sizes.of)
            .collect();
        assert_eq!(named, [vec![16], vec![8, 2], vec![4, 4]]);
    }

    #[test]
    fn a_grid_explains_its_own_eigenvalues_best() {
        for sizes in all(64) {
            let matrix = centred(&sizes.distances());
            let found = crate::grid::Spectrum::of(&matrix).values;
            let first = &best(&found, 64, 1)[0];
            assert_eq!(first, &sizes);
        }
    }
}
