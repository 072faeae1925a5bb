//! Certified lower bounds on hop-bytes: no placement of this graph on this machine has fewer.
//!
//! Every bound has a file of its own and is listed in [`BOUNDS`]; the highest one is used. The
//! bounds estimate the numbers of slots at each distance from above
//! ([`DistanceProfile`](rankfold_machine::DistanceProfile)). They therefore hold for any
//! capacities, for unusable nodes and for more slots than ranks.

mod assignment;
mod congestion;
mod cut;
mod exact;
mod group_cuts;
mod nearness;
mod neighbourhood;
mod rearrangement;
mod relaxation;
mod split;
mod star;
mod triples;

pub use congestion::{CongestionBound, congestion_bound};
pub use exact::fewest_hop_bytes;
pub use group_cuts::{CutProof, cut_proof};
use rankfold_base::NodeId;
use rankfold_graph::{Affinity, CommGraph};
use rankfold_machine::Machine;
use rayon::prelude::*;
pub use split::{Eigenvalues, MOST_SPLIT_SLOTS, SplitProof, Triple, TripleRule, split_proof};

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

    /// The lowest effort that is worth the time of the bound.
    fn least_effort(&self) -> BoundEffort {
        BoundEffort::Quick
    }

    /// A number of hop-bytes that no placement is below. `None` where the argument does not hold or
    /// would take too long. A higher effort may give a higher number.
    fn hop_bytes(
        &self,
        affinity: &Affinity,
        machine: &Machine,
        effort: BoundEffort,
    ) -> Option<u128>;
}

/// How much time a lower bound is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundEffort {
    /// No longer than sorting the bytes of all pairs: for searches that ask whether they can stop.
    Quick,
    /// Some tenths of a second for thousands of ranks.
    Fast,
    /// Half a second more for up to a few hundred ranks.
    #[default]
    Standard,
    /// Several seconds more for up to a few hundred ranks.
    Long,
}

/// All bounds. Of equal bounds, the first is named.
static BOUNDS: [&dyn Bound; 5] = [
    &star::Star,
    &rearrangement::Rearrangement,
    &cut::Cut,
    &triples::Triples,
    &split::Split,
];

/// The highest of the bounds that are worth the effort; of equal bounds the first.
#[must_use]
pub fn lower_bound(graph: &CommGraph, machine: &Machine, effort: BoundEffort) -> LowerBound {
    lower_bound_of(&graph.affinity(), machine, effort)
}

/// [`lower_bound`] for a graph in the undirected view.
#[must_use]
pub fn lower_bound_of(affinity: &Affinity, machine: &Machine, effort: BoundEffort) -> LowerBound {
    let asked = BOUNDS.iter().filter(|bound| bound.least_effort() <= effort);
    let found = asked.map(|bound| {
        let hop_bytes = bound.hop_bytes(affinity, machine, effort).unwrap_or(0);
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
