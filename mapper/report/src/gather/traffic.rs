//! The communication matrix.

use crate::data::{Pair, SizeClass, Sizes, Traffic};
use rankfold_base::Rank;
use rankfold_graph::CommGraph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Maximum number of pairs that are listed and drawn one by one. Chosen by hand, for the size of
/// the page.
pub(super) const LISTED: usize = 12_000;
/// Number of heaviest pairs that are listed.
const HEAVIEST: usize = 100;

/// What the graph alone provides.
pub(super) fn of(graph: &CommGraph) -> Traffic {
    let messages = graph.counts_messages().then(|| {
        let ranks = (0..graph.ranks()).map(Rank::at);
        ranks
            .flat_map(|rank| graph.sent_with_messages(rank))
            .map(|(_, _, messages)| messages)
            .sum()
    });
    Traffic {
        ranks: graph.ranks(),
        pairs: graph.pairs(),
        bytes: u64::try_from(graph.total_bytes()).unwrap_or(u64::MAX),
        messages,
        listed: (graph.pairs() <= LISTED).then(|| pairs(graph).collect()),
        blocks: (graph.pairs() > LISTED || graph.ranks() > super::matrix::DRAWN).then(|| {
            let place: Vec<u32> = (0..graph.ranks() as u32).collect();
            super::matrix::blocks(graph, &place, graph.ranks())
        }),
        heaviest: heaviest(pairs(graph), HEAVIEST),
        sizes: sizes(graph),
        ..Traffic::default()
    }
}

/// All pairs, with their number of messages if messages were counted.
pub(super) fn pairs(graph: &CommGraph) -> impl Iterator<Item = Pair> + '_ {
    let counted = graph.counts_messages();
    (0..graph.ranks()).map(Rank::at).flat_map(move |from| {
        graph
            .sent_with_messages(from)
            .map(move |(to, bytes, messages)| Pair {
                from: from.0,
                to: to.0,
                bytes,
                messages: if counted { messages as u64 } else { 0 },
            })
    })
}

/// The `most` heaviest pairs, heaviest first. Of equally heavy pairs, those of lower ranks come
/// first.
pub(super) fn heaviest(pairs: impl Iterator<Item = Pair>, most: usize) -> Vec<Pair> {
    let mut heap = BinaryHeap::with_capacity(most + 1);
    for pair in pairs {
        let key = (Reverse(pair.bytes), pair.from, pair.to, pair.messages);
        if heap.len() < most || heap.peek().is_some_and(|top| key < *top) {
            heap.push(key);
            if heap.len() > most {
                heap.pop();
            }
        }
    }
    let sorted = heap.into_sorted_vec().into_iter();
    sorted
        .map(|(Reverse(bytes), from, to, messages)| Pair {
            from,
            to,
            bytes,
            messages,
        })
        .collect()
}

/// Messages by the mean size of their pair; `None` if messages were not counted.
fn sizes(graph: &CommGraph) -> Option<Sizes> {
    if !graph.counts_messages() {
        return None;
    }
    let mut buckets = Vec::new();
    for pair in pairs(graph).filter(|pair| pair.messages > 0) {
        let log2 = (pair.bytes / pair.messages).max(1).ilog2() as usize;
        if buckets.len() <= log2 {
            buckets.resize(log2 + 1, (0, 0));
        }
        buckets[log2].0 += pair.messages;
        buckets[log2].1 += pair.bytes;
    }
    Some(Sizes {
        counted: false,
        classes: vec![SizeClass {
            name: "messages".into(),
            buckets,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_pairs_come_first_and_ties_by_rank() {
        let pair = |from, to, bytes| Pair {
            from,
            to,
            bytes,
            messages: 0,
        };
        let all = [pair(0, 1, 5), pair(1, 0, 9), pair(2, 0, 5), pair(3, 0, 1)];
        let found = heaviest(all.into_iter(), 3);
        assert_eq!(found, [all[1], all[0], all[2]]);
    }
}
