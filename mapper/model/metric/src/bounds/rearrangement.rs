//! The bound `rearrangement`: all edges of the graph ordered by weight, against all pairs of slots
//! ordered by distance; the heaviest edges take the nearest pairs.
//!
//! By the rearrangement inequality, no placement has a lower sum of weight x distance. Cost: O(m
//! log m) for m pairs of ranks.

use super::{Bound, BoundEffort, capacities, heaviest_nearest};
use rankfold_base::Rank;
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
use rayon::prelude::*;

pub(super) struct Rearrangement;

impl Bound for Rearrangement {
    fn name(&self) -> &'static str {
        "rearrangement"
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine, _: BoundEffort) -> Option<u128> {
        let largest = capacities(machine).max().unwrap_or(0);
        let profile = machine.topology().distance_profile();
        let mut pairs: Vec<u64> = profile
            .pairs
            .iter()
            .map(|ordered| (ordered / 2).saturating_mul(largest * largest))
            .collect();
        pairs[0] = capacities(machine)
            .map(|c| c * c.saturating_sub(1) / 2)
            .sum();
        let weights = (0..affinity.ranks())
            .into_par_iter()
            .map(Rank::at)
            .flat_map_iter(|u| affinity.partners(u).map(move |(v, w)| (u, v, w)))
            .filter(|(u, v, _)| u < v)
            .map(|(_, _, w)| w)
            .collect();
        Some(heaviest_nearest(weights, &pairs))
    }
}
