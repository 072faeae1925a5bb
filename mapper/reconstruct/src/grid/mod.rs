//! A torus or a mesh from latencies.
//!
//! The centred distance matrix of a grid is the sum of those of its dimensions, so its eigenvalues
//! are theirs, and the eigenvectors of the strongest of each dimension are the coordinates of the
//! hosts: a circle for a ring, a line for a path. Dimensions of one size share an eigenspace;
//! independent component analysis takes it apart.

mod components;
mod placing;
mod polish;
mod sizes;

use crate::Latencies;
use crate::centre::{centred, clipped, correlation};
use nalgebra::SymmetricEigen;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
pub(super) use sizes::Sizes;

/// Hosts in a grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    pub(super) sizes: Sizes,
    /// The grid point of every host, lexicographic with the last dimension fastest.
    pub(super) points: Vec<usize>,
    /// Hops between hosts.
    pub(super) hops: Latencies,
    /// Correlation of the centred hops with what was fitted.
    pub(super) score: f64,
}

/// Up to this many hosts every start is polished.
const FEW: usize = 64;

/// The grid that fits best; `None` where no grid has so many points.
pub(super) fn fit(latencies: &Latencies, seed: u64) -> Option<Fit> {
    let n = latencies.nrows();
    let matrix = centred(&clipped(latencies));
    let eigen = Spectrum::of(&matrix);
    let candidates = if n <= FEW { 4 } else { 2 };
    let mut best: Option<Fit> = None;
    for sizes in sizes::best(&eigen.values, n, candidates) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let distances = sizes.distances();
        let wanted = centred(&distances);
        let starts = placing::starts(&eigen, &sizes, &mut random);
        for points in starts {
            let points = polish::polish(&matrix, &wanted, points);
            let hops = by_host(&distances, &points);
            let score = correlation(&centred(&hops), &matrix);
            // The first of equals is the simplest.
            if best.as_ref().is_none_or(|best| score > best.score + 1e-3) {
                best = Some(Fit {
                    sizes: sizes.clone(),
                    points,
                    hops,
                    score,
                });
            }
        }
    }
    best
}

/// A matrix between grid points as one between the hosts that are there.
fn by_host(of_points: &Latencies, points: &[usize]) -> Latencies {
    let n = points.len();
    Latencies::from_fn(n, n, |i, j| of_points[(points[i], points[j])])
}

/// Eigenvalues and their vectors, the most negative first: hosts that are close have small entries.
pub(super) struct Spectrum {
    values: Vec<f64>,
    /// A column each.
    vectors: Latencies,
}

impl Spectrum {
    fn of(matrix: &Latencies) -> Self {
        let eigen = SymmetricEigen::new(matrix.clone());
        let mut order: Vec<usize> = (0..matrix.nrows()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        Self {
            values: order.iter().map(|&at| eigen.eigenvalues[at]).collect(),
            vectors: eigen.eigenvectors.select_columns(&order),
        }
    }
}
