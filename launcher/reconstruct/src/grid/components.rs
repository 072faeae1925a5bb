//! Independent component analysis: rotates an orthonormal basis so that the values in its columns
//! are distributed as little like a normal distribution as possible.
//!
//! Dimensions of equal size share one eigenspace, and an eigensolver returns any rotation of it. A
//! column that mixes several coordinates is closer to a normal distribution than a pure coordinate,
//! so the least normal rotation separates the dimensions.
//!
//! Source: Hyvarinen and Oja, "A fast fixed-point algorithm for independent component analysis",
//! Neural Computation 9, 1997, with the cubic nonlinearity and symmetric orthogonalisation. It
//! differs in that several random starts are ranked by their kurtosis. Cost: O(n m^2) for a step
//! with n hosts and m columns.

use crate::Latencies;
use nalgebra::DMatrix;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Rotates the columns of `basis` from several random starts; returns the rotated bases, the least
/// normal one first. The columns are orthonormal, times the square root of the number of rows.
pub(super) fn independent(
    basis: &Latencies,
    starts: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Latencies> {
    if basis.ncols() < 2 {
        return vec![basis.clone()];
    }
    let mut turned: Vec<(f64, Latencies)> = (0..starts)
        .map(|_| {
            let components = basis * fixed_point(basis, random);
            (normality(&components), components)
        })
        .collect();
    turned.sort_by(|a, b| a.0.total_cmp(&b.0));
    turned
        .into_iter()
        .map(|(_, components)| components)
        .collect()
}

/// The rotation that one random start converges to.
fn fixed_point(basis: &Latencies, random: &mut Xoshiro256PlusPlus) -> DMatrix<f64> {
    /// Limit on the steps of one start. Chosen by hand; not measured.
    const MOST_STEPS: usize = 200;
    /// The iteration ends when no column turns by more (1 minus the cosine). Chosen by hand.
    const CONVERGED: f64 = 1e-8;
    let (n, m) = (basis.nrows() as f64, basis.ncols());
    let mut turn = orthogonal(DMatrix::from_fn(m, m, |_, _| {
        random.random_range(-1.0..1.0)
    }));
    for _ in 0..MOST_STEPS {
        let components = basis * &turn;
        let next = basis.transpose() * components.map(|value| value.powi(3)) / n - &turn * 3.0;
        let next = orthogonal(next);
        let moved = (0..m).map(|c| (next.column(c).dot(&turn.column(c)).abs() - 1.0).abs());
        let still = moved.fold(0.0, f64::max) < CONVERGED;
        turn = next;
        if still {
            break;
        }
    }
    turn
}

/// The orthogonal matrix closest to a matrix.
fn orthogonal(matrix: DMatrix<f64>) -> DMatrix<f64> {
    let svd = matrix.svd(true, true);
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) => u * v_t,
        // Unreachable: both matrices were requested.
        _ => DMatrix::identity(svd.singular_values.len(), svd.singular_values.len()),
    }
}

/// How close the columns are to a normal distribution: minus the sum of their squared excess
/// kurtoses, which is 0 for normal distributions.
fn normality(components: &Latencies) -> f64 {
    let n = components.nrows() as f64;
    let excess = |column: nalgebra::DVectorView<f64>| {
        column.iter().map(|value| value.powi(4)).sum::<f64>() / n - 3.0
    };
    -components
        .column_iter()
        .map(|column| excess(column.as_view()).powi(2))
        .sum::<f64>()
}
