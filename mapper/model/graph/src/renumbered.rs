//! Renumbers the ranks of large graphs so that ranks that exchange messages are close in memory.
//!
//! If ranks are numbered at random, every access to a partner is a cache miss, and the analysis and
//! the metrics consist of such accesses. Breadth-first numbers keep partners close together.

use crate::CommGraph;
use rankfold_base::{Placement, Rank, SlotId};
use std::borrow::Cow;
use std::collections::HashSet;

/// Least number of ranks of a graph that is renumbered. Smaller graphs fit a cache. Chosen by hand;
/// not measured.
const LARGE: usize = 1 << 14;

/// Number of ranks sampled to decide whether the numbering has a structure, and of messages of
/// each. Chosen by hand; not measured.
const SAMPLE: usize = 512;
const MESSAGES: usize = 64;

/// A graph that may be renumbered, and the original number of every rank.
pub struct Renumbered<'a> {
    /// The graph with the new numbers.
    pub graph: Cow<'a, CommGraph>,
    /// The original rank of every new number; `None` if the graph is not renumbered.
    order: Option<Vec<Rank>>,
}

impl<'a> Renumbered<'a> {
    /// The graph with its original numbers.
    pub fn identity(graph: Cow<'a, CommGraph>) -> Self {
        Self { graph, order: None }
    }

    /// Renumbers the graph if it is large and its numbering has no structure. A graph that is
    /// passed by value is freed after renumbering.
    pub fn if_scattered(graph: Cow<'a, CommGraph>) -> Self {
        let same = Self::identity(graph);
        if is_scattered(&same.graph) {
            same.if_large()
        } else {
            same
        }
    }

    /// Restores the original numbers.
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

    /// Renumbers the graph if it is large and not renumbered yet.
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

    /// The original rank that now has this number.
    pub fn original_rank(&self, number: Rank) -> Rank {
        self.order.as_ref().map_or(number, |o| o[number.index()])
    }

    /// Whether every rank has its original number.
    pub fn keeps_numbers(&self) -> bool {
        self.order.is_none()
    }

    /// Translates a placement from original to new numbers.
    pub fn to_internal(&self, placement: Placement) -> Placement {
        let Some(order) = &self.order else {
            return placement;
        };
        Placement::new(order.iter().map(|&rank| placement.slot(rank)).collect())
    }

    /// Translates a placement from new to original numbers.
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

/// Whether the numbering of ranks has no structure. In a grid numbered by rows or blocks, and
/// wherever neighbours have close numbers, the same differences between numbers occur again and
/// again.
///
/// If the program declared a grid, the declaration uses the ranks' numbers, so they have a
/// structure.
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
    use crate::Message;
    use crate::samples::{graph, message};

    const RANKS: usize = LARGE;

    fn scattered(rank: usize) -> usize {
        rank * 7919 % RANKS
    }

    #[test]
    fn a_placement_that_enters_leaves_as_it_was_and_costs_the_same_inside() {
        let far_apart =
            (0..RANKS).map(|rank| message(rank, scattered(rank * rank), 1 + rank as u64));
        let graph = graph(RANKS, far_apart.collect());
        let renumbered = Renumbered::if_scattered(Cow::Borrowed(&graph));
        assert_ne!(*renumbered.graph, graph);
        let placement = Placement::new((0..RANKS).map(|r| SlotId::at(scattered(r))).collect());
        let inside = renumbered.to_internal(placement.clone());
        // Slots in a line, one hop from each to the next.
        let cost = |graph: &CommGraph, placement: &Placement| {
            let hops = |m: &Message| placement.slot(m.from).0.abs_diff(placement.slot(m.to).0);
            let messages = graph.messages();
            messages.map(|m| m.bytes * u64::from(hops(&m))).sum::<u64>()
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
