//! The star bound: every rank on the best placed node, its partners around it by weight, heaviest
//! nearest.
//!
//! With `c` slots a node the `c - 1` heaviest partners are free, which contains the bound by
//! inter-node bytes. On vertex-transitive machines this is the bound of Gilmore (1962) and Lawler
//! (1963). Every edge is met from both ends, hence half of the sum.

use super::{Bound, capacities, heaviest_nearest};
use crate::comm::Affinity;
use crate::ids::Rank;
use crate::machine::Machine;
use rayon::prelude::*;

pub(super) struct Star;

impl Bound for Star {
    fn name(&self) -> &'static str {
        "star"
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine) -> Option<u128> {
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

/// For other ranks, most slots at each distance from a rank.
pub(super) fn seats(machine: &Machine) -> Vec<u64> {
    let largest = capacities(machine).max().unwrap_or(0);
    let profile = machine.topology().distance_profile();
    let mut seats: Vec<u64> = profile.around.iter().map(|n| n * largest).collect();
    seats[0] = seats[0].saturating_sub(1);
    seats
}

/// Twice the bytes that the same argument leaves beyond each distance from 0 on, as far as there
/// are any.
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
