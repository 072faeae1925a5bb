//! Eigenvalues of symmetric matrices, with a bound on their error.
//!
//! For a computed matrix Q of eigenvectors and computed eigenvalues v of a matrix B, let delta be
//! the norm of Q'Q - I and epsilon the norm of B - Q diag(v) Q'. By Ostrowski's theorem (Horn and
//! Johnson, Matrix Analysis, 4.5.9) the k-th eigenvalue of Q diag(v) Q' is the k-th of v times a
//! factor between 1 - delta and 1 + delta; by Weyl's (4.3.1) the k-th eigenvalue of B is within
//! epsilon of it. So the eigenvectors need not be exact.

use nalgebra::{DMatrix, SymmetricEigen};

/// Half the distance from 1 to the next number.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The eigenvalues of a symmetric matrix, descending, and a column of `vectors` for each.
pub(super) struct Spectrum {
    pub(super) values: Vec<f64>,
    pub(super) vectors: DMatrix<f64>,
}

/// By how much eigenvalues may be off: by a share of themselves plus a number.
#[derive(Clone, Copy)]
pub(super) struct SpectrumError {
    share: f64,
    number: f64,
}

impl SpectrumError {
    pub(super) fn of(self, value: f64) -> f64 {
        self.share * value.abs() + self.number
    }
}

impl Spectrum {
    /// `None` where the iteration does not converge.
    pub(super) fn of(matrix: DMatrix<f64>) -> Option<Self> {
        let most = 100 * matrix.nrows();
        let found = SymmetricEigen::try_new(matrix, f64::EPSILON, most)?;
        let mut order: Vec<usize> = (0..found.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| found.eigenvalues[b].total_cmp(&found.eigenvalues[a]));
        Some(Self {
            values: order.iter().map(|&k| found.eigenvalues[k]).collect(),
            vectors: found.eigenvectors.select_columns(&order),
        })
    }

    /// The error of the eigenvalues as those of `matrix`, whose entries are off by `entry` at most.
    pub(super) fn error(&self, matrix: &DMatrix<f64>, entry: f64) -> SpectrumError {
        let order = matrix.nrows() as f64;
        let scaled = &self.vectors * DMatrix::from_diagonal(&self.values.clone().into());
        let left = matrix - &scaled * self.vectors.transpose();
        let square =
            self.vectors.tr_mul(&self.vectors) - DMatrix::identity(matrix.nrows(), matrix.nrows());
        // Every entry of a product of matrices is off by (order + 2) roundings of the product of
        // the lengths of a row and a column; a row of the vectors is shorter than 2.
        let product = 4.0 * (order + 2.0) * ROUNDING;
        let largest = self
            .values
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        let rounded_up = 1.0 + 8.0 * order * ROUNDING;
        SpectrumError {
            share: rounded_up * (square.norm() + order * product),
            number: rounded_up * (left.norm() + order * (2.0 * product * largest + entry)),
        }
    }
}

/// P X P + lift ee'/N for P = I - ee'/N. With a lift that exceeds all eigenvalues of P X P, the
/// first eigenvector is e.
pub(super) fn centred(matrix: &[f64], order: usize, lift: f64) -> DMatrix<f64> {
    let count = order as f64;
    let means: Vec<f64> = matrix
        .chunks(order)
        .map(|row| row.iter().sum::<f64>() / count)
        .collect();
    let mean = (means.iter().sum::<f64>() + lift) / count;
    DMatrix::from_fn(order, order, |i, j| {
        // Added in the same order for (i, j) and (j, i), so that the matrix is symmetric.
        matrix[i * order + j] - (means[i] + means[j]) + mean
    })
}

/// The largest error of an entry of [`centred`], whose entries and lift are whole numbers below 2
/// to the power 52.
pub(super) fn centring_error(matrix: &[f64], order: usize, lift: f64) -> f64 {
    let largest = matrix.iter().fold(lift.abs(), |most, x| most.max(x.abs()));
    8.0 * (order as f64 + 4.0) * ROUNDING * largest
}

/// A lift that exceeds all eigenvalues of P X P.
pub(super) fn lift_above(matrix: &[f64]) -> f64 {
    let squares: f64 = matrix.iter().map(|x| x * x).sum();
    (2.0 * squares.sqrt()).ceil() + 1.0
}
