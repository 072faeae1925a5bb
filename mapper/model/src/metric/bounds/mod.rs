//! Certified lower bounds: no placement of this graph on this machine has fewer hop-bytes.
//!
//! Star and rearrangement count slots by distance from above
//! ([`DistanceProfile`](crate::machine::DistanceProfile)), so they hold for any capacities, for unusable nodes
//! and for more slots than ranks; so does the cut bound, for few ranks.

mod cut;

mod congestion;

use crate::comm::{Affinity, CommGraph};
use crate::ids::{NodeId, Rank};
use crate::machine::Machine;
pub use congestion::{CongestionBound, congestion_bound};
use rayon::prelude::*;

/// A lower bound on hop-bytes and the argument it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct LowerBound {
    /// No placement has fewer.
    pub hop_bytes: u128,
    /// `star`, `rearrangement` or `cut`.
    pub which: &'static str,
}

/// The best of the bounds; the one named first of equals.
#[must_use]
pub fn lower_bound(graph: &CommGraph, machine: &Machine) -> LowerBound {
    lower_bound_of(&graph.affinity(), machine)
}

/// [`lower_bound`] from the undirected view.
#[must_use]
pub fn lower_bound_of(affinity: &Affinity, machine: &Machine) -> LowerBound {
    let star = LowerBound {
        hop_bytes: star(affinity, machine),
        which: "star",
    };
    let rearrangement = LowerBound {
        hop_bytes: rearrangement(affinity, machine),
        which: "rearrangement",
    };
    let cut = LowerBound {
        hop_bytes: cut::cut(affinity, machine).unwrap_or(0),
        which: "cut",
    };
    // Of equals the last one is the maximum.
    let bounds = [cut, rearrangement, star];
    bounds
        .into_iter()
        .max_by_key(|bound| bound.hop_bytes)
        .unwrap_or_default()
}

/// Every rank sits on the best placed node, its partners around it by weight, heaviest nearest.
///
/// With `c` slots a node the `c - 1` heaviest partners are free, which contains the bound by inter-node
/// bytes. On vertex-transitive machines this is the Gilmore-Lawler bound. Every edge is met from both
/// ends, hence half of the sum.
fn star(affinity: &Affinity, machine: &Machine) -> u128 {
    let largest = capacities(machine).max().unwrap_or(0);
    let profile = machine.topology().distance_profile();
    let mut seats: Vec<u64> = profile.around.iter().map(|n| n * largest).collect();
    seats[0] = seats[0].saturating_sub(1);
    let twice: u128 = (0..affinity.ranks())
        .into_par_iter()
        .map(|u| {
            let weights = affinity.partners(Rank::at(u)).map(|(_, w)| w).collect();
            heaviest_nearest(weights, &seats)
        })
        .sum();
    twice.div_ceil(2)
}

/// All edges by weight against all pairs of slots by distance, heaviest edge on nearest pair.
fn rearrangement(affinity: &Affinity, machine: &Machine) -> u128 {
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
    heaviest_nearest(weights, &pairs)
}

/// Least sum of weight x distance when `places[d]` weights may take distance d.
fn heaviest_nearest(mut weights: Vec<u64>, places: &[u64]) -> u128 {
    weights.par_sort_unstable_by(|a, b| b.cmp(a));
    let mut rest = weights.as_slice();
    let mut sum = 0;
    for (distance, &room) in places.iter().enumerate() {
        let here = usize::try_from(room).map_or(rest.len(), |room| room.min(rest.len()));
        let (taken, left) = rest.split_at(here);
        let bytes: u128 = taken.iter().map(|&w| u128::from(w)).sum();
        sum += bytes * distance as u128;
        rest = left;
    }
    sum
}

fn capacities(machine: &Machine) -> impl Iterator<Item = u64> + '_ {
    let slots = machine.slots();
    (0..slots.nodes()).map(|n| u64::from(slots.capacity(NodeId::at(n))))
}

#[cfg(test)]
mod tests;
