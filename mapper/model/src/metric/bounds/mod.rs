//! Certified lower bounds on hop-bytes: no placement of this graph on this machine has fewer.
//!
//! Every bound has a file of its own and is listed in [`BOUNDS`]; the highest one is used. The
//! bounds estimate the numbers of slots at each distance from above
//! ([`DistanceProfile`](crate::machine::DistanceProfile)). They therefore hold for any capacities,
//! for unusable nodes and for more slots than ranks.

mod congestion;
mod cut;
mod exact;
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
pub use exact::fewest_hop_bytes;
use rayon::prelude::*;

/// A lower bound on hop-bytes, and the argument it is based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct LowerBound {
    /// No placement has fewer hop-bytes.
    pub hop_bytes: u128,
    /// Name of the highest bound, such as `star`.
    pub which: &'static str,
}

/// A proof that hop-bytes are at least some number.
trait Bound: Sync {
    /// The name used in [`LowerBound::which`].
    fn name(&self) -> &'static str;

    /// Whether the bound takes no longer than sorting the bytes of all pairs.
    fn is_quick(&self) -> bool {
        true
    }

    /// A number of hop-bytes that no placement is below. `None` where the argument does not hold or
    /// would take too long.
    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine) -> Option<u128>;
}

/// All bounds. Of equal bounds, the first is named.
static BOUNDS: [&dyn Bound; 4] = [
    &star::Star,
    &rearrangement::Rearrangement,
    &cut::Cut,
    &triples::Triples,
];

/// The highest of all bounds; of equal bounds the first. Takes some tenths of a second for
/// thousands of ranks.
#[must_use]
pub fn lower_bound(graph: &CommGraph, machine: &Machine) -> LowerBound {
    lower_bound_of(&graph.affinity(), machine)
}

/// [`lower_bound`] for a graph in the undirected view.
#[must_use]
pub fn lower_bound_of(affinity: &Affinity, machine: &Machine) -> LowerBound {
    best(affinity, machine, |_| true)
}

/// The highest of the bounds that take next to no time. Searches use it to find out whether they
/// can stop.
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
        .reduce(|best, next| {
            if next.hop_bytes > best.hop_bytes {
                next
            } else {
                best
            }
        })
        .unwrap_or_default()
}

/// Least sum of weight x distance, where at most `places[d]` weights can have distance d: the
/// heaviest weights take the nearest places.
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
