//! Hop-bytes as integers: 64 bits wide where no sum can overflow, 128 bits elsewhere.

use rankfold_base::Rank;
use rankfold_graph::Affinity;
use rankfold_machine::Topology;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// Signed hop-bytes.
pub trait Amount:
    Send + Sync + Copy + Ord + Default + Add<Output = Self> + Sub<Output = Self> + AddAssign + Sum
{
    /// Bytes times hops; `hops` may be a difference.
    fn hop_bytes(bytes: u64, hops: i64) -> Self;

    /// The same number with 128 bits, for sums over all ranks.
    fn widened(self) -> i128;
}

impl Amount for i64 {
    #[inline]
    fn hop_bytes(bytes: u64, hops: i64) -> Self {
        bytes as i64 * hops
    }

    fn widened(self) -> i128 {
        i128::from(self)
    }
}

impl Amount for i128 {
    fn hop_bytes(bytes: u64, hops: i64) -> Self {
        Self::from(bytes) * Self::from(hops)
    }

    fn widened(self) -> i128 {
        self
    }
}

/// Whether the gain of every exchange of two ranks fits 63 bits.
///
/// A gain is a sum of six terms, each at most the cost of one rank at the greatest distance: the
/// costs of both ranks before and after the exchange, and twice the bytes between the two.
pub fn fits_i64(affinity: &Affinity, topology: &dyn Topology) -> bool {
    let bytes = |rank: Rank| -> u128 { affinity.partners(rank).map(|(_, b)| u128::from(b)).sum() };
    let most = (0..affinity.ranks())
        .map(|rank| bytes(Rank::at(rank)))
        .max();
    let cost = most.unwrap_or(0) * u128::from(topology.diameter());
    cost * 6 <= i64::MAX as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_problem::testing::{graph, machine, message};

    #[test]
    fn the_limit_is_what_six_costs_at_the_longest_distance_need() {
        let torus = machine("torus:4x4", 1);
        let fits = |bytes| {
            let pair = graph(2, vec![message(0, 1, bytes)]);
            fits_i64(&pair.affinity(), torus.topology())
        };
        let limit = i64::MAX as u64 / (6 * 4);
        assert!(fits(limit) && !fits(limit + 1));
    }
}
