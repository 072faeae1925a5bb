//! Large irregular graphs renumbered: what talks is then near in memory, too.
//!
//! With ranks numbered at random, every look at a partner waits for memory, and everything from the search to the
//! metrics is such looks. Breadth-first numbers keep partners close together.

use crate::comm::CommGraph;
use crate::ids::{Rank, SlotId};
use crate::machine::Machine;
use crate::pattern::Pattern;
use crate::placement::Placement;
use std::borrow::Cow;

/// Ranks from which on a graph no longer fits a cache.
const LARGE: usize = 1 << 14;

/// The graph the search works on.
pub(super) struct Renumbered<'a> {
    pub(super) graph: Cow<'a, CommGraph>,
    /// The rank of every new number, unless ranks keep theirs.
    order: Option<Vec<Rank>>,
}

impl<'a> Renumbered<'a> {
    /// The graph with all ranks as they are.
    pub(super) fn not(graph: &'a CommGraph) -> Self {
        Self {
            graph: Cow::Borrowed(graph),
            order: None,
        }
    }

    /// The graph renumbered, if that pays: where the numbers mean nothing to any heuristic.
    pub(super) fn of(graph: &'a CommGraph, machine: &Machine, pattern: &Pattern) -> Self {
        if graph.ranks() < LARGE || machine.is_switched() || pattern.stencil().is_some() {
            return Self::not(graph);
        }
        let order = graph.breadth_first();
        Self {
            graph: Cow::Owned(graph.renumbered(&order)),
            order: Some(order),
        }
    }

    /// A placement of the ranks as they were, by their new numbers.
    pub(super) fn enter(&self, placement: Placement) -> Placement {
        let Some(order) = &self.order else {
            return placement;
        };
        Placement::new(order.iter().map(|&rank| placement.slot(rank)).collect())
    }

    /// A placement by the new numbers, of the ranks as they were.
    pub(super) fn leave(&self, placement: Placement) -> Placement {
        let Some(order) = &self.order else {
            return placement;
        };
        let mut slot_of = vec![SlotId(0); order.len()];
        for (rank, &slot) in order.iter().zip(placement.slots()) {
            slot_of[rank.index()] = slot;
        }
        Placement::new(slot_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::hop_bytes;
    use crate::pattern;
    use crate::testing::{graph, machine, message};

    #[test]
    fn a_placement_that_enters_leaves_as_it_was_and_costs_the_same_inside() {
        let ranks = LARGE;
        let scattered = |rank: usize| rank * 7919 % ranks;
        let far_apart =
            (0..ranks).map(|rank| message(rank, scattered(rank * rank), 1 + rank as u64));
        let graph = graph(ranks, far_apart.collect());
        let machine = machine("torus:16x32x32", 1);
        let renumbered = Renumbered::of(&graph, &machine, &pattern::analyze(&graph));
        assert_ne!(*renumbered.graph, graph);
        let placement = Placement::new((0..ranks).map(|r| SlotId::at(scattered(r))).collect());
        let inside = renumbered.enter(placement.clone());
        let cost = |graph, placement: &Placement| {
            hop_bytes(graph, machine.topology(), &placement.nodes(machine.slots()))
        };
        assert_eq!(cost(&graph, &placement), cost(&renumbered.graph, &inside));
        assert_eq!(renumbered.leave(inside), placement);
    }

    #[test]
    fn small_graphs_keep_their_numbers() {
        let graph = graph(3, vec![message(0, 2, 1)]);
        let pattern = pattern::analyze(&graph);
        let same = Renumbered::of(&graph, &machine("torus:3", 1), &pattern);
        assert_eq!(*same.graph, graph);
        assert_eq!(same.enter(Placement::block(3)), Placement::block(3));
    }
}
