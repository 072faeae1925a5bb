//! Fits a torus or a mesh to latencies.
//!
//! Idea: hops in a grid are sums over its dimensions, so the centred matrix of hops has the
//! eigenvalues of its dimensions (times a factor), and its strongest eigenvectors are coordinates
//! of the hosts: two vectors form a circle for a ring, one vector forms a line for a path. The
//! sizes are those whose eigenvalues match best (`sizes`), the hosts are assigned to the grid
//! points next to their coordinates (`placing`), and exchanges of two hosts improve the result
//! (`polish`).
//!
//! ```text
//!  ring of 8: two eigenvectors         path of 4: one eigenvector
//!          h5  h2                        ├──h3────h0────h2────h1──┤
//!       h7        h0                      point 0     1     2     3
//!       h3        h6   angle = point
//!          h1  h4
//! ```
//!
//! Source: classical multidimensional scaling (Torgerson, "Multidimensional scaling: I. Theory and
//! method", Psychometrika 17, 1952). It differs in that distances are not squared, so that
//! dimensions add up, and in that all dimensions of one size share an eigenspace, which independent
//! component analysis splits (`components`).
//!
//! Cost, for n hosts: O(n^3) for the eigenvectors and for each assignment, O(n^3) for each pass of
//! exchanges over all pairs of hosts.

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

/// A grid with a host on every point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GridFit {
    pub(super) sizes: Sizes,
    /// The grid point of every host, lexicographic with the last dimension fastest.
    pub(super) points: Vec<usize>,
    /// Hops between hosts.
    pub(super) hops: Latencies,
    /// Correlation of the centred hops with the centred latencies that the grid was fitted to.
    pub(super) score: f64,
}

/// Up to this number of hosts, more sizes and every random start are tried, since a fit is fast.
/// Chosen by hand; not measured.
const FEW_HOSTS: usize = 64;

/// The grid that fits the latencies best; `None` if no grid has as many points as there are hosts.
pub(super) fn fit(latencies: &Latencies, seed: u64) -> Option<GridFit> {
    let n = latencies.nrows();
    let matrix = centred(&clipped(latencies));
    let eigen = Spectrum::of(&matrix);
    let candidates = if n <= FEW_HOSTS { 4 } else { 2 };
    let mut best: Option<GridFit> = None;
    for sizes in sizes::best(&eigen.values, n, candidates) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let distances = sizes.distances();
        let wanted = centred(&distances);
        let starts = placing::starts(&eigen, &sizes, &mut random);
        for points in starts {
            let points = polish::polish(&matrix, &wanted, points);
            let hops = by_host(&distances, &points);
            let score = correlation(&centred(&hops), &matrix);
            // Candidates with few dimensions come first, and win a tie.
            if best.as_ref().is_none_or(|best| score > best.score + 1e-3) {
                best = Some(GridFit {
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

/// Turns a matrix between grid points into a matrix between the hosts on these points.
fn by_host(of_points: &Latencies, points: &[usize]) -> Latencies {
    let n = points.len();
    Latencies::from_fn(n, n, |i, j| of_points[(points[i], points[j])])
}

/// Eigenvalues and eigenvectors of a centred matrix, the most negative eigenvalue first. The most
/// negative ones matter: hosts that are close to each other have small entries in the matrix.
pub(super) struct Spectrum {
    values: Vec<f64>,
    /// One column for each eigenvalue.
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
