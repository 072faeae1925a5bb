//! The bisection bandwidth of grids.

use super::GridNetwork;
use crate::network::speed::Speed;

impl GridNetwork {
    /// The smallest bandwidth between two halves of the N nodes, if it is known exactly.
    ///
    /// A lower bound: let every ordered pair of nodes exchange one unit by shortest paths. N^2/2
    /// units then cross the cut between any two halves, and no link of the cut carries more than
    /// the busiest link. A cut across the dimension of the busiest link attains the bound if the
    /// size of the dimension is even.
    pub(super) fn halves(&self) -> Option<f64> {
        let nodes = self.grid.nodes() as f64;
        let bound = |(&k, speed): (&usize, &Speed)| {
            let (size, odd) = (k as f64, (k % 2) as f64);
            // The number of ordered pairs of nodes of a ring or path whose route crosses the
            // busiest link, in both directions.
            let crossing = match (self.grid.wraps(), k) {
                (_, 1) => return None,
                (true, 3..) => (size * size - odd) / 4.0,
                _ => (size * size - odd) / 2.0,
            };
            let load = crossing * nodes / size;
            Some((nodes * nodes / 2.0 / load * speed.bandwidth, k))
        };
        let bounds = self
            .grid
            .dims()
            .iter()
            .zip(&self.speeds.of)
            .filter_map(bound);
        let (least, k) = bounds.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (k % 2 == 0).then_some(least)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Bisection, parse};

    #[test]
    fn bisections_are_exact_where_the_narrowest_dimension_is_even() {
        let bisection = |spec| match parse(spec).unwrap().bisection() {
            Bisection::Exactly(bandwidth) => Some(bandwidth),
            _ => None,
        };
        for (spec, expected) in [
            ("torus:8", Some(2.0)),
            ("torus:2", Some(1.0)),
            ("torus:8x4x2", Some(16.0)),
            ("torus:8x4@2,1", Some(16.0)),
            ("torus:8x8@5,1", Some(16.0)),
            ("mesh:6x5", Some(5.0)),
            ("mesh:2x2", Some(2.0)),
            ("hypercube:5", Some(16.0)),
            ("torus:5x4", None),
            ("mesh:1", None),
        ] {
            assert_eq!(bisection(spec), expected, "{spec}");
        }
    }
}
