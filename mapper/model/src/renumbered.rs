//! Large graphs renumbered: what talks is then near in memory, too.
//!
//! With ranks numbered at random, every look at a partner waits for memory, and everything from the
//! analysis to the metrics is such looks. Breadth-first numbers keep partners close together.

use crate::comm::CommGraph;
use crate::ids::{Rank, SlotId};
use crate::placement::Placement;
use std::borrow::Cow;
use std::collections::HashSet;

/// Ranks from which on a graph no longer fits a cache.
const LARGE: usize = 1 << 14;

/// Ranks looked at to tell whether numbers mean anything, and messages of each.
const SAMPLE: usize = 512;
const MESSAGES: usize = 64;

/// A graph, and who its ranks are in the one it was made from.
pub struct Renumbered<'a> {
    /// The graph by its new numbers.
    pub graph: Cow<'a, CommGraph>,
    /// The rank of every new number, unless ranks keep theirs.
    order: Option<Vec<Rank>>,
}

impl<'a> Renumbered<'a> {
    /// The graph with all ranks as they are.
    pub fn identity(graph: Cow<'a, CommGraph>) -> Self {
        Self { graph, order: None }
    }

    /// The graph renumbered if it is large and its numbers tell nothing; one that is given away
    /// does not stay in memory.
    pub fn if_scattered(graph: Cow<'a, CommGraph>) -> Self {
        let same = Self::identity(graph);
        if is_scattered(&same.graph) {
            same.if_large()
        } else {
            same
        }
    }

    /// All ranks by their own numbers again.
    pub fn into_original(self) -> Self {
        let Some(order) = self.order else {
            return self;
        };
        let mut number = vec![Rank(0); order.len()];
        for (new, old) in (0..).map(Rank).zip(&order) {
            number[old.index()] = new;
        }
        Self::identity(Cow::Owned(self.graph.renumbered(&number)))
    }

    /// The graph renumbered if it is large, unless it is already.
    pub fn if_large(self) -> Self {
        if self.order.is_some() || self.graph.ranks() < LARGE {
            return self;
        }
        let order = self.graph.breadth_first();
        Self {
            graph: Cow::Owned(self.graph.renumbered(&order)),
            order: Some(order),
        }
    }

    /// The rank that now has a number.
    pub fn original_rank(&self, number: Rank) -> Rank {
        self.order.as_ref().map_or(number, |o| o[number.index()])
    }

    /// Whether every rank has its own number.
    pub fn keeps_numbers(&self) -> bool {
        self.order.is_none()
    }

    /// A placement of the ranks as they were, by their new numbers.
    pub fn to_internal(&self, placement: Placement) -> Placement {
        let Some(order) = &self.order else {
            return placement;
        };
        Placement::new(order.iter().map(|&rank| placement.slot(rank)).collect())
    }

    /// A placement by the new numbers, of the ranks as they were.
    pub fn to_original(&self, placement: Placement) -> Placement {
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

/// Whether ranks talk to others with any numbers: in a grid numbered by rows or blocks, and
/// wherever neighbours have near numbers, the same differences between numbers occur again and
/// again.
///
/// What the program declared names ranks by their numbers, which then mean something.
fn is_scattered(graph: &CommGraph) -> bool {
    let ranks = graph.ranks();
    if ranks < LARGE || !graph.declared().grids.is_empty() {
        return false;
    }
    let sampled = (0..ranks).step_by(ranks / SAMPLE).map(Rank::at);
    let differences: Vec<u32> = sampled
        .flat_map(|rank| {
            let sent = graph.sent_by(rank).take(MESSAGES);
            sent.map(move |(to, _)| rank.0.abs_diff(to.0))
        })
        .collect();
    let distinct: HashSet<&u32> = differences.iter().collect();
    2 * distinct.len() > differences.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::hop_bytes;
    use crate::samples::{graph, machine, message};

    const RANKS: usize = LARGE;

    fn scattered(rank: usize) -> usize {
        rank * 7919 % RANKS
    }

    #[test]
    fn a_placement_that_enters_leaves_as_it_was_and_costs_the_same_inside() {
        let far_apart =
            (0..RANKS).map(|rank| message(rank, scattered(rank * rank), 1 + rank as u64));
        let graph = graph(RANKS, far_apart.collect());
        let machine = machine("torus:16x32x32", 1);
        let renumbered = Renumbered::if_scattered(Cow::Borrowed(&graph));
        assert_ne!(*renumbered.graph, graph);
        let placement = Placement::new((0..RANKS).map(|r| SlotId::at(scattered(r))).collect());
        let inside = renumbered.to_internal(placement.clone());
        let cost = |graph, placement: &Placement| {
            hop_bytes(graph, machine.topology(), &placement.nodes(machine.slots()))
        };
        assert_eq!(cost(&graph, &placement), cost(&renumbered.graph, &inside));
        assert_eq!(renumbered.to_original(inside), placement);
        assert_eq!(*renumbered.into_original().graph, graph);
    }

    #[test]
    fn small_graphs_keep_their_numbers() {
        let graph = graph(3, vec![message(0, 2, 1)]);
        let same = Renumbered::identity(Cow::Borrowed(&graph)).if_large();
        assert_eq!(*same.graph, graph);
        assert_eq!(same.to_internal(Placement::block(3)), Placement::block(3));
    }

    #[test]
    fn numbers_by_rows_tell_something_and_numbers_at_random_nothing() {
        let rows = |name: fn(usize) -> usize| {
            let cell =
                |cell| [1, 129].map(|step| message(name(cell), name((cell + step) % RANKS), 1));
            graph(RANKS, (0..RANKS).flat_map(cell).collect())
        };
        assert!(!is_scattered(&rows(|cell| cell)));
        assert!(is_scattered(&rows(|cell| scattered(cell * (cell + 1) / 2))));
    }
}
