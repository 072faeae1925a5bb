//! Latencies without what does not tell of the structure: single measurements gone wrong, and what
//! each host adds.

use crate::Latencies;
use nalgebra::DVector;

/// The median; 0 of none.
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

/// Where a latency is far above what both its hosts usually see, the higher of the two medians
/// takes its place: of many pairs some were disturbed at every visit.
pub(super) fn clipped(latencies: &Latencies) -> Latencies {
    /// No disturbance is smaller, as a logarithm.
    const LEAST: f64 = 0.35;
    /// From the median absolute deviation to the standard deviation of a normal distribution.
    const NORMAL: f64 = 1.4826;
    let n = latencies.nrows();
    let logarithms = latencies.map(f64::ln);
    let medians: Vec<f64> = (0..n).map(|row| median(others(&logarithms, row))).collect();
    let deviations = (0..n).flat_map(|i| {
        let (logarithms, medians) = (&logarithms, &medians);
        (0..n)
            .filter(move |&j| j != i)
            .map(move |j| (logarithms[(i, j)] - medians[i]).abs())
    });
    let limit = (4.0 * NORMAL * median(deviations.collect())).max(LEAST);
    Latencies::from_fn(n, n, |i, j| {
        let usual = medians[i].max(medians[j]);
        match logarithms[(i, j)] {
            _ if i == j => 0.0,
            value if value - usual > limit => usual.exp(),
            value => value.exp(),
        }
    })
}

/// What is left when the mean and what each host adds are taken out. The diagonal, which nobody
/// measures, gets what the host's other values are in the mean, so it is neutral.
pub(super) fn centred(matrix: &Latencies) -> Latencies {
    let n = matrix.nrows();
    let mean_of = |row: usize| others(matrix, row).iter().sum::<f64>() / (n - 1).max(1) as f64;
    let rows = DVector::from_fn(n, |row, _| mean_of(row));
    let filled = Latencies::from_fn(n, n, |i, j| if i == j { rows[i] } else { matrix[(i, j)] });
    let mean = rows.mean();
    Latencies::from_fn(n, n, |i, j| filled[(i, j)] - rows[i] - rows[j] + mean)
}

/// Pearson's correlation over all pairs; 0 where one of both is constant.
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
    // Rounding leaves something of a constant.
    if of_a <= 1e-24 * count || of_b <= 1e-24 * count || scale == 0.0 {
        0.0
    } else {
        both / scale
    }
}
