//! The differences between the communication of two runs.

use super::matrix::DRAWN;
use super::{pattern, traffic};
use crate::data::{DifferenceBlocks, Differences, Pair, PairDifference};
use rankfold_graph::CommGraph;
use std::cmp::Ordering;

/// Number of pairs listed. Chosen by hand.
const LISTED: usize = 100;

/// What `after` sends more or less than `before`. Both have the same number of ranks.
pub(super) fn of(before: &CommGraph, after: &CommGraph) -> Differences {
    let ranks = before.ranks().max(1);
    let each = ranks.div_ceil(DRAWN);
    let size = ranks.div_ceil(each);
    let mut cells = vec![0i64; size * size];
    let mut found = Differences {
        pattern_before: pattern::of(before, None),
        ..Differences::default()
    };
    let mut largest: Vec<PairDifference> = Vec::new();
    for pair in Changed::new(traffic::pairs(before), traffic::pairs(after)) {
        found.pairs += 1;
        found.more += pair.after.saturating_sub(pair.before);
        found.less += pair.before.saturating_sub(pair.after);
        let (row, column) = (pair.from as usize / each, pair.to as usize / each);
        cells[row * size + column] += signed(pair.after) - signed(pair.before);
        largest.push(pair);
        if largest.len() >= 64 * LISTED {
            keep_largest(&mut largest);
        }
    }
    keep_largest(&mut largest);
    let cells = cells.into_iter().enumerate();
    found.blocks = DifferenceBlocks {
        size,
        ranks_each: each,
        cells: cells
            .filter(|&(_, bytes)| bytes != 0)
            .map(|(cell, bytes)| ((cell / size) as u32, (cell % size) as u32, bytes))
            .collect(),
    };
    found.largest = largest;
    found
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Sorts pairs, the largest difference first, and keeps those that are listed.
fn keep_largest(pairs: &mut Vec<PairDifference>) {
    pairs.sort_by_key(|pair| {
        let apart = pair.after.abs_diff(pair.before);
        (std::cmp::Reverse(apart), pair.from, pair.to)
    });
    pairs.truncate(LISTED);
}

/// The pairs whose bytes differ between two lists, which are sorted by sender and receiver.
struct Changed<A: Iterator, B: Iterator> {
    before: std::iter::Peekable<A>,
    after: std::iter::Peekable<B>,
}

impl<A: Iterator<Item = Pair>, B: Iterator<Item = Pair>> Changed<A, B> {
    fn new(before: A, after: B) -> Self {
        Self {
            before: before.peekable(),
            after: after.peekable(),
        }
    }

    /// The next pair of either list.
    fn either(&mut self) -> Option<PairDifference> {
        let ends = |pair: &Pair| (pair.from, pair.to);
        let order = match (self.before.peek(), self.after.peek()) {
            (Some(a), Some(b)) => ends(a).cmp(&ends(b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let a = (order != Ordering::Greater).then(|| self.before.next());
        let b = (order != Ordering::Less).then(|| self.after.next());
        let (a, b) = (a.flatten(), b.flatten());
        let (from, to) = ends(&a.or(b)?);
        Some(PairDifference {
            from,
            to,
            before: a.map_or(0, |pair| pair.bytes),
            after: b.map_or(0, |pair| pair.bytes),
        })
    }
}

impl<A: Iterator<Item = Pair>, B: Iterator<Item = Pair>> Iterator for Changed<A, B> {
    type Item = PairDifference;

    fn next(&mut self) -> Option<PairDifference> {
        loop {
            let pair = self.either()?;
            if pair.before != pair.after {
                return Some(pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_base::Rank;
    use rankfold_graph::Message;

    fn graph(messages: &[(u32, u32, u64)]) -> CommGraph {
        let messages = messages.iter().map(|&(from, to, bytes)| Message {
            from: Rank(from),
            to: Rank(to),
            bytes,
        });
        CommGraph::from_messages(4, messages).expect("a graph of four ranks")
    }

    #[test]
    fn pairs_of_either_run_are_compared() {
        let before = graph(&[(0, 1, 100), (1, 2, 50), (3, 0, 7)]);
        let after = graph(&[(0, 1, 100), (1, 2, 80), (2, 3, 9)]);
        let found = of(&before, &after);
        assert_eq!((found.pairs, found.more, found.less), (3, 39, 7));
        let pair = |from, to, before, after| PairDifference {
            from,
            to,
            before,
            after,
        };
        let want = [pair(1, 2, 50, 80), pair(2, 3, 0, 9), pair(3, 0, 7, 0)];
        assert_eq!(found.largest, want);
        assert_eq!(found.blocks.cells, [(1, 2, 30), (2, 3, 9), (3, 0, -7)]);
    }
}
