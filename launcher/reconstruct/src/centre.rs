//! Removes from latencies what says nothing about the network: outliers, and the delay that each
//! host adds. Also the statistics used for that.

use crate::Latencies;
use nalgebra::DVector;

/// The median of some values, the upper one of an even number; 0 if there are none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The values off the diagonal of one row.
fn others(matrix: &Latencies, row: usize) -> Vec<f64> {
    let columns = (0..matrix.ncols()).filter(|&column| column != row);
    columns.map(|column| matrix[(row, column)]).collect()
}

/// All values above the diagonal.
pub(super) fn pairs(matrix: &Latencies) -> impl Iterator<Item = f64> + '_ {
    let n = matrix.nrows();
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| matrix[(i, j)]))
}

/// Replaces outliers: a latency far above the medians of both its hosts becomes the higher of the
/// two medians. With many pairs of hosts, some pairs are disturbed in every pass.
///
/// "Far" is four robust standard deviations of the logarithms (chosen by hand; not measured), but
/// at least `LEAST_EXCESS`.
pub(super) fn clipped(latencies: &Latencies) -> Latencies {
    /// The smallest excess of an outlier, as a natural logarithm. Chosen by hand; not measured.
    const LEAST_EXCESS: f64 = 0.35;
    /// The standard deviation of a normal distribution over its median absolute deviation: from
    /// theory, 1 over the upper quartile of the standard normal distribution.
    const DEVIATION_OF_NORMAL: f64 = 1.4826;
    let n = latencies.nrows();
    let logarithms = latencies.map(f64::ln);
    let medians: Vec<f64> = (0..n).map(|row| median(others(&logarithms, row))).collect();
    let deviations = (0..n).flat_map(|i| {
        let (logarithms, medians) = (&logarithms, &medians);
        (0..n)
            .filter(move |&j| j != i)
            .map(move |j| (logarithms[(i, j)] - medians[i]).abs())
    });
    let limit = (4.0 * DEVIATION_OF_NORMAL * median(deviations.collect())).max(LEAST_EXCESS);
    Latencies::from_fn(n, n, |i, j| {
        let usual = medians[i].max(medians[j]);
        match logarithms[(i, j)] {
            _ if i == j => 0.0,
            value if value - usual > limit => usual.exp(),
            value => value.exp(),
        }
    })
}

/// The matrix after double centring: the mean of its row and the mean of its column are subtracted
/// from each value, the mean of all values is added. The diagonal, which is not measured, is first
/// set to the mean of the row, so that it changes no mean.
pub(super) fn centred(matrix: &Latencies) -> Latencies {
    let n = matrix.nrows();
    let mean_of = |row: usize| others(matrix, row).iter().sum::<f64>() / (n - 1).max(1) as f64;
    let rows = DVector::from_fn(n, |row, _| mean_of(row));
    let filled = Latencies::from_fn(n, n, |i, j| if i == j { rows[i] } else { matrix[(i, j)] });
    let mean = rows.mean();
    Latencies::from_fn(n, n, |i, j| filled[(i, j)] - rows[i] - rows[j] + mean)
}

/// Pearson's correlation of two matrices over all pairs of hosts; 0 if one of the matrices is
/// constant.
pub(super) fn correlation(a: &Latencies, b: &Latencies) -> f64 {
    let count = (a.nrows() * (a.nrows() - 1) / 2) as f64;
    let (mean_a, mean_b) = (pairs(a).sum::<f64>() / count, pairs(b).sum::<f64>() / count);
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (x, y) in pairs(a).zip(pairs(b)) {
        let (x, y) = (x - mean_a, y - mean_b);
        both += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    let scale = (of_a * of_b).sqrt();
    // The variance of a constant is not exactly 0 after rounding.
    if of_a <= 1e-24 * count || of_b <= 1e-24 * count || scale == 0.0 {
        0.0
    } else {
        both / scale
    }
}
