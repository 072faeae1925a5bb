//! Improves a placement of hosts on grid points by exchanges of two hosts.
//!
//! The objective is the sum over all pairs of hosts of measured latency times ideal hops, both
//! centred: with fixed sizes, it is largest where the correlation is. This is the local search with
//! exchanges of two for the quadratic assignment problem (Burkard, Dell'Amico and Martello,
//! "Assignment Problems", SIAM 2009). Cost: O(n) for the gain of an exchange, O(n^3)
//! for a pass over all pairs.

use crate::Latencies;

/// Limit on the passes over all pairs of hosts; a pass without an exchange ends the search before.
/// Chosen by hand; not measured.
const MOST_PASSES: usize = 60;

/// Exchanges the points of two hosts as long as that increases the objective.
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

/// The gain of the objective if `a` and `b` exchange their points. Both matrices are symmetric, so
/// columns, which are contiguous in memory, serve as rows.
fn gain(measured: &Latencies, ideal: &Latencies, points: &[usize], a: usize, b: usize) -> f64 {
    let (of_a, of_b) = (measured.column(a), measured.column(b));
    let (at_a, at_b) = (ideal.column(points[a]), ideal.column(points[b]));
    let mut gain = 0.0;
    for (other, &point) in points.iter().enumerate() {
        gain += (of_a[other] - of_b[other]) * (at_b[point] - at_a[point]);
    }
    // The distance between `a` and `b` themselves does not change.
    for other in [a, b] {
        let point = points[other];
        gain -= (of_a[other] - of_b[other]) * (at_b[point] - at_a[point]);
    }
    gain
}
