//! Cell shifting (section 3.3.2 of the paper, after FastPlace): the boundaries between bins move
//! towards emptier bins and take the points along. Cost: O(points + bins).

/// Weight of a boundary's own position, so that no boundary crosses another one next to an empty
/// bin. From the FastPlace paper.
const HOLD: f64 = 1.5;

/// The new boundaries of a row of bins of unit length. `crowd[i]` is the number of points in bin i
/// over the number it may hold.
///
/// n bins have n + 1 boundaries. The outer two stay at -1/2 and n - 1/2.
pub(super) fn boundaries(crowd: &[f64]) -> Vec<f64> {
    let bins = crowd.len();
    let old = |i: usize| i as f64 - 0.5;
    (0..=bins)
        .map(|i| {
            if i == 0 || i == bins {
                return old(i);
            }
            let (left, right) = (crowd[i - 1], crowd[i]);
            (old(i - 1) * (right + HOLD) + old(i + 1) * (left + HOLD)) / (left + right + 2.0 * HOLD)
        })
        .collect()
}

/// The new coordinate of a point of bin `bin`. The point keeps its relative position in the bin.
pub(super) fn shifted(x: f64, bin: usize, boundaries: &[f64]) -> f64 {
    let (low, high) = (boundaries[bin], boundaries[bin + 1]);
    low + (x - (bin as f64 - 0.5)) * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bins_stay_and_points_with_them() {
        let same = boundaries(&[2.0, 2.0, 2.0]);
        assert_eq!(same, [-0.5, 0.5, 1.5, 2.5]);
        assert_eq!(shifted(1.25, 1, &same), 1.25);
    }

    #[test]
    fn a_full_bin_widens_into_its_empty_neighbours() {
        let wide = boundaries(&[0.0, 6.0, 0.0]);
        assert!(wide[1] < 0.5 && wide[2] > 1.5, "{wide:?}");
        assert!(wide.is_sorted());
        assert!(shifted(1.4, 1, &wide) > 1.4 && shifted(0.6, 1, &wide) < 0.6);
    }
}
