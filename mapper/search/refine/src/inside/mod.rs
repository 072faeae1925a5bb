//! The order of ranks inside each node: partners on cores that share caches, memories and sockets,
//! and ranks with much to send elsewhere near to a network adapter.
//!
//! Ranks stay on their nodes, so no figure of the network changes. Where a node has more slots than
//! ranks, these are spread over its packages, memories and caches by their cores, so that each rank
//! has as much of the memory's bandwidth as can be. Among such seatings, bytes x levels decide
//! ([`rankfold_metric::inner_levels`]).
//!
//! On each node two descents run, one from the present seating and one from a greedy seating. Each
//! exchanges ranks, or moves them to free slots. Up to [`exact::MOST_RANKS`] ranks are then tried
//! in all slots, as far as the effort allows. The present seating stays where none is better.
//!
//! Source: our own; pairwise exchange and branch and bound for the quadratic assignment problem,
//! node by node.
//!
//! Cost: O(slots^2 x partners on the node) for one pass on one node.

mod exact;
mod node;
mod seating;

use exact::Exact;
use node::Node;
use rankfold_base::{NodeId, Placement, Rank, SlotId};
use rankfold_machine::Machine;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Effort, Problem, Refinement, Scope,
};
use rayon::prelude::*;
use seating::Seating;

/// How often a rank is tried in a slot of a node: at low efforts, and from balanced on.
const STEPS: [u64; 2] = [1 << 12, 1 << 17];

/// The refinement inside nodes.
pub(crate) struct Inside;

impl Refinement for Inside {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement {
            scope: Scope::Winner,
            suits: Machine::knows_insides,
            ..AboutRefinement::new(
                "inside",
                "exchanges ranks inside each node towards their partners in socket, memory and cache, and towards the network adapters, where a machine file or --node tells them",
            )
        };
        &ABOUT
    }

    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics {
        let machine = problem.machine;
        let mut did = Diagnostics {
            passes: 1,
            ..Diagnostics::default()
        };
        let who = placement.occupancy(machine.slots());
        let reseated: Vec<Vec<(Rank, SlotId)>> = (0..machine.slots().nodes())
            .into_par_iter()
            .map(|node| {
                let mut slots: Vec<SlotId> = machine.slots().on(NodeId::at(node)).collect();
                slots.sort_by_key(|&slot| machine.core(slot));
                let seats: Vec<Option<Rank>> = slots.iter().map(|&s| who.rank(s)).collect();
                let node = Node::new(problem, &slots, &seats);
                node.map_or_else(Vec::new, |node| {
                    moved(&node, problem.effort, &slots, &seats)
                })
            })
            .collect();
        for (rank, slot) in reseated.into_iter().flatten() {
            placement.set(rank, slot);
            did.moves += 1;
        }
        did
    }
}

/// The ranks of a node that get another slot, with that slot.
fn moved(
    node: &Node,
    effort: Effort,
    slots: &[SlotId],
    seats: &[Option<Rank>],
) -> Vec<(Rank, SlotId)> {
    let taken = (0..seats.len()).filter(|&slot| seats[slot].is_some());
    let best = better(node, effort, taken.collect());
    let now = node.ranks.iter().zip(best);
    now.filter(|(rank, slot)| seats[*slot] != Some(**rank))
        .map(|(&rank, slot)| (rank, slots[slot]))
        .collect()
}

/// The slots of all ranks in the best seating that is found; `present` if none is better.
fn better(node: &Node, effort: Effort, present: Vec<usize>) -> Vec<usize> {
    let mut best = (Seating::new(node, present.clone()).cost(), present.clone());
    let mut starts = vec![Seating::new(node, present)];
    if !node.has_fixed() {
        // A seating from nothing would move those that stay.
        starts.push(Seating::greedy(node));
    }
    for mut seating in starts {
        seating.descend();
        if seating.cost() < best.0 {
            best = (seating.cost(), seating.slot_of);
        }
    }
    if node.ranks.len() > exact::MOST_RANKS {
        return best.1;
    }
    let steps = STEPS[usize::from(effort >= Effort::Balanced)];
    Exact::improve(node, best, steps)
}

#[cfg(test)]
mod tests;
