//! Independent components: an orthonormal basis turned so that its directions are as far from
//! normal as can be.

use crate::Latencies;
use nalgebra::DMatrix;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Turns the columns of `basis`, orthonormal times the root of the number of rows, by the symmetric
/// fixed point with a cubic nonlinearity (Hyvarinen and Oja, "A fast fixed-point algorithm for
/// independent component analysis", Neural Computation 9, 1997), from several random starts; the
/// results, the least normal first.
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

fn fixed_point(basis: &Latencies, random: &mut Xoshiro256PlusPlus) -> DMatrix<f64> {
    const MOST_STEPS: usize = 200;
    const STILL: f64 = 1e-8;
    let (n, m) = (basis.nrows() as f64, basis.ncols());
    let mut turn = orthogonal(DMatrix::from_fn(m, m, |_, _| {
        random.random_range(-1.0..1.0)
    }));
    for _ in 0..MOST_STEPS {
        let components = basis * &turn;
        let next = basis.transpose() * components.map(|value| value.powi(3)) / n - &turn * 3.0;
        let next = orthogonal(next);
        let moved = (0..m).map(|c| (next.column(c).dot(&turn.column(c)).abs() - 1.0).abs());
        let still = moved.fold(0.0, f64::max) < STILL;
        turn = next;
        if still {
            break;
        }
    }
    turn
}

/// The closest orthogonal matrix.
fn orthogonal(matrix: DMatrix<f64>) -> DMatrix<f64> {
    let svd = matrix.svd(true, true);
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) => u * v_t,
        // Both were asked for.
        _ => DMatrix::identity(svd.singular_values.len(), svd.singular_values.len()),
    }
}

/// Minus the sum of the squared excess kurtoses of the columns.
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
