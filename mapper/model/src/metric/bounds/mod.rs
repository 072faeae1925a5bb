//! Certified lower bounds: no placement of this graph on this machine has fewer hop-bytes.
//!
//! One file a bound, all in [`BOUNDS`]; the best one holds. They count slots by distance from above
//! ([`DistanceProfile`](crate::machine::DistanceProfile)), so they hold for any capacities, for
//! unusable nodes and for more slots than ranks.

mod congestion;
mod cut;
mod nearness;
mod neighbourhood;
mod rearrangement;
mod relaxation;
mod star;
mod triples;

use crate::comm::{Affinity, CommGraph};
use crate::ids::NodeId;
use crate::machine::Machine;
pub use congestion::{CongestionBound, congestion_bound};
use rayon::prelude::*;

/// A lower bound on hop-bytes and the argument it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct LowerBound {
    /// No placement has fewer.
    pub hop_bytes: u128,
    /// The name of the best of the bounds, such as `star`.
    pub which: &'static str,
}

/// An argument why hop-bytes cannot be fewer.
trait Bound: Sync {
    /// What it is called in [`LowerBound::which`].
    fn name(&self) -> &'static str;

    /// Whether it takes no longer than sorting the bytes of all pairs.
    fn is_quick(&self) -> bool {
        true
    }

    /// Hop-bytes no placement is below; `None` where the argument does not hold or takes too long.
    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine) -> Option<u128>;
}

/// All bounds; of equals the one that comes first is named.
static BOUNDS: [&dyn Bound; 4] = [
    &star::Star,
    &rearrangement::Rearrangement,
    &cut::Cut,
    &triples::Triples,
];

/// The best of the bounds; the one named first of equals. Takes some tenths of a second for
/// thousands of ranks.
#[must_use]
pub fn lower_bound(graph: &CommGraph, machine: &Machine) -> LowerBound {
    lower_bound_of(&graph.affinity(), machine)
}

/// [`lower_bound`] from the undirected view.
#[must_use]
pub fn lower_bound_of(affinity: &Affinity, machine: &Machine) -> LowerBound {
    best(affinity, machine, |_| true)
}

/// The best of those bounds that take next to no time: for searches that ask whether there is
/// anything left to find.
#[must_use]
pub fn quick_lower_bound_of(affinity: &Affinity, machine: &Machine) -> LowerBound {
    best(affinity, machine, |bound| bound.is_quick())
}

fn best(affinity: &Affinity, machine: &Machine, asked: impl Fn(&dyn Bound) -> bool) -> LowerBound {
    let found = BOUNDS.iter().filter(|bound| asked(**bound)).map(|bound| {
        let hop_bytes = bound.hop_bytes(affinity, machine).unwrap_or(0);
        let which = bound.name();
        LowerBound { hop_bytes, which }
    });
    found
        .reduce(|best, next| match next.hop_bytes > best.hop_bytes {
            true => next,
            false => best,
        })
        .unwrap_or_default()
}

/// Least sum of weight x distance when `places[d]` weights may take distance d.
fn heaviest_nearest(mut weights: Vec<u64>, places: &[u64]) -> u128 {
    weights.par_sort_unstable_by(|a, b| b.cmp(a));
    let mut rest = weights.as_slice();
    let mut sum = 0;
    for (distance, &room) in places.iter().enumerate() {
        if rest.is_empty() {
            break;
        }
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
