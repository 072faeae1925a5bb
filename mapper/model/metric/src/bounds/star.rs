//! The bound `star`: every rank is on the best placed node, with its partners around it, the
//! heaviest nearest.
//!
//! With c slots a node, the c - 1 heaviest partners are at distance 0, so the bound is at least as
//! high as the bound by inter-node bytes. On vertex-transitive machines this is the bound of
//! Gilmore (1962) and Lawler (1963) for the quadratic assignment problem. Every edge is counted
//! from both ends, so the sum is halved. Cost: O(m log m) for m pairs of ranks.
//!
//! ```text
//! rank r with partners of 9, 5, 4 and 1 bytes on a ring with one slot a node:
//! hops    2   1   0   1   2
//! bytes   4   9   r   5   1      bytes x hops = 9 + 5 + 2 (4 + 1) = 24
//! ```

use super::{Bound, BoundEffort, capacities, heaviest_nearest};
use rankfold_base::Rank;
use rankfold_graph::Affinity;
use rankfold_machine::Machine;
use rayon::prelude::*;

pub(super) struct Star;

impl Bound for Star {
    fn name(&self) -> &'static str {
        "star"
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine, _: BoundEffort) -> Option<u128> {
        let seats = seats(machine);
        let twice: u128 = (0..affinity.ranks())
            .into_par_iter()
            .map(|u| {
                let weights = affinity.partners(Rank::at(u)).map(|(_, w)| w).collect();
                heaviest_nearest(weights, &seats)
            })
            .sum();
        Some(twice.div_ceil(2))
    }
}

/// For every distance, the most slots for other ranks that any rank can have at this distance.
pub(super) fn seats(machine: &Machine) -> Vec<u64> {
    let largest = capacities(machine).max().unwrap_or(0);
    let profile = machine.topology().distance_profile();
    let mut seats: Vec<u64> = profile.around.iter().map(|n| n * largest).collect();
    seats[0] = seats[0].saturating_sub(1);
    seats
}

/// For every distance d from 0 on: twice the bytes that must travel farther than d, by the same
/// argument.
pub(super) fn twice_beyond(affinity: &Affinity, seats: &[u64]) -> Vec<u128> {
    let none = || vec![0; seats.len()];
    let count = |mut beyond: Vec<u128>, u: usize| {
        let mut weights: Vec<u64> = affinity.partners(Rank::at(u)).map(|(_, w)| w).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        let mut within = 0;
        for (beyond, &room) in beyond.iter_mut().zip(seats) {
            within += room;
            let left = weights
                .iter()
                .skip(usize::try_from(within).unwrap_or(usize::MAX));
            let bytes: u128 = left.map(|&w| u128::from(w)).sum();
            if bytes == 0 {
                break;
            }
            *beyond += bytes;
        }
        beyond
    };
    let add = |mut a: Vec<u128>, b: Vec<u128>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let ranks = (0..affinity.ranks()).into_par_iter();
    ranks.fold(none, count).reduce(none, add)
}
