//! Exchanges of hosts between grid points while they improve the fit.

use crate::Latencies;

/// Passes over all pairs of hosts; each ends the search when it exchanges nothing.
const MOST_PASSES: usize = 60;

/// Exchanges the points of two hosts while the sum over all pairs of measured times ideal grows.
pub(super) fn polish(
    measured: &Latencies,
    ideal: &Latencies,
    mut points: Vec<usize>,
) -> Vec<usize> {
    let n = points.len();
    for _ in 0..MOST_PASSES {
        let mut exchanged = false;
        for a in 0..n {
            for b in a + 1..n {
                if gain(measured, ideal, &points, a, b) > 1e-9 {
                    points.swap(a, b);
                    exchanged = true;
                }
            }
        }
        if !exchanged {
            break;
        }
    }
    points
}

/// What an exchange of the points of `a` and `b` adds to the sum. Both matrices are symmetric, so
/// their columns, which lie together in memory, serve as rows.
fn gain(measured: &Latencies, ideal: &Latencies, points: &[usize], a: usize, b: usize) -> f64 {
    let (of_a, of_b) = (measured.column(a), measured.column(b));
    let (at_a, at_b) = (ideal.column(points[a]), ideal.column(points[b]));
    let mut gain = 0.0;
    for (other, &point) in points.iter().enumerate() {
        gain += (of_a[other] - of_b[other]) * (at_b[point] - at_a[point]);
    }
    // The two hosts themselves: their distance stays.
    for other in [a, b] {
        let point = points[other];
        gain -= (of_a[other] - of_b[other]) * (at_b[point] - at_a[point]);
    }
    gain
}
