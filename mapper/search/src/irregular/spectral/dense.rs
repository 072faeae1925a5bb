//! The small dense eigenvalue problem of a Rayleigh-Ritz step. Cost: O(k^3) for k vectors.

/// A small square matrix, row by row.
pub(super) type Square<const N: usize> = [[f64; N]; N];

/// Smallest pivot of the Cholesky factorisation. Columns that nearly depend on others give large
/// but finite vectors, which the next filter step replaces.
const SMALLEST_PIVOT: f64 = 1e-10;

/// Most sweeps of the Jacobi method, which converges quadratically and needs about six.
const SWEEPS: usize = 30;

/// The eigenvalues of `energy` relative to `gram`, in ascending order, and the eigenvectors as
/// columns, of unit length in `gram`.
///
/// `gram` is symmetric and positive; `energy` is symmetric up to rounding.
pub(super) fn ritz<const N: usize>(gram: &Square<N>, energy: &Square<N>) -> ([f64; N], Square<N>) {
    let scale: [f64; N] = std::array::from_fn(|i| 1.0 / gram[i][i].max(f64::MIN_POSITIVE).sqrt());
    let inverse: Square<N> = inverse_of_cholesky(&from_fn(|i, j| gram[i][j] * scale[i] * scale[j]));
    let scaled = from_fn(|i, j| f64::midpoint(energy[i][j], energy[j][i]) * scale[i] * scale[j]);
    let left = product(&inverse, &scaled);
    let (values, turned) = jacobi(from_fn(|i, j| {
        (0..N).map(|k| left[i][k] * inverse[j][k]).sum()
    }));
    let vectors =
        from_fn(|i, j| scale[i] * (0..N).map(|k| inverse[k][i] * turned[k][j]).sum::<f64>());
    (values, vectors)
}

fn from_fn<const N: usize>(entry: impl Fn(usize, usize) -> f64) -> Square<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

fn product<const N: usize>(a: &Square<N>, b: &Square<N>) -> Square<N> {
    from_fn(|i, j| (0..N).map(|k| a[i][k] * b[k][j]).sum())
}

/// The inverse of the lower triangular Cholesky factor.
fn inverse_of_cholesky<const N: usize>(matrix: &Square<N>) -> Square<N> {
    let mut lower = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let rest = matrix[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            lower[i][j] = if i == j {
                rest.max(SMALLEST_PIVOT).sqrt()
            } else {
                rest / lower[j][j]
            };
        }
    }
    let mut inverse = [[0.0; N]; N];
    for i in 0..N {
        inverse[i][i] = 1.0 / lower[i][i];
        let sum = |j: usize| (j..i).map(|k| lower[i][k] * inverse[k][j]).sum::<f64>();
        let row: Vec<f64> = (0..i).map(|j| -sum(j) / lower[i][i]).collect();
        inverse[i][..i].copy_from_slice(&row);
    }
    inverse
}

/// The eigenvalues of a symmetric matrix, in ascending order, and its eigenvectors as columns, by
/// the cyclic Jacobi method.
fn jacobi<const N: usize>(mut matrix: Square<N>) -> ([f64; N], Square<N>) {
    let mut vectors = from_fn(|i, j| f64::from(u8::from(i == j)));
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                if matrix[p][q].abs() > f64::MIN_POSITIVE {
                    annihilate(&mut matrix, &mut vectors, p, q);
                }
            }
        }
    }
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    order.sort_by(|&a, &b| matrix[a][a].total_cmp(&matrix[b][b]));
    (
        order.map(|i| matrix[i][i]),
        from_fn(|i, j| vectors[i][order[j]]),
    )
}

/// Makes entry (p, q) zero by a plane rotation.
fn annihilate<const N: usize>(matrix: &mut Square<N>, vectors: &mut Square<N>, p: usize, q: usize) {
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
    for row in matrix.iter_mut().chain(vectors.iter_mut()) {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
    let (above, below) = matrix.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
        (*x, *y) = turn(*x, *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pencils_are_solved_and_vectors_have_unit_length() {
        let gram = [[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]];
        let energy = [[1.0, 0.2, 0.1], [0.2, 5.0, 0.3], [0.1, 0.3, 2.0]];
        let (values, vectors) = ritz(&gram, &energy);
        assert!(values.is_sorted());
        let (left, right) = (product(&energy, &vectors), product(&gram, &vectors));
        for (j, value) in values.iter().enumerate() {
            for i in 0..3 {
                assert!((left[i][j] - value * right[i][j]).abs() < 1e-12);
            }
            let length: f64 = (0..3).map(|i| vectors[i][j] * right[i][j]).sum();
            assert!((length - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn dependent_columns_stay_finite() {
        let (values, vectors) = ritz(&[[1.0, 1.0], [1.0, 1.0]], &[[1.0, 1.0], [1.0, 1.0]]);
        assert!(
            values
                .iter()
                .chain(vectors.iter().flatten())
                .all(|v| v.is_finite())
        );
    }
}
