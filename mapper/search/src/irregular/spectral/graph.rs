//! Weighted undirected graphs in single precision, and their connected components.

use rankfold_base::{Csr, Rank};
use rankfold_graph::Affinity;
use std::collections::VecDeque;
use std::ops::Range;

/// Number of rows that a thread processes at a time. Sums are added up chunk by chunk in a fixed
/// order, so that they do not depend on the number of threads.
pub(super) const CHUNK: usize = 2048;

/// One level of the hierarchy. A vertex is a rank on the finest level and an aggregate elsewhere.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Neighbour and weight of every edge of every vertex; each edge is listed at both ends. A
    /// weight is a number of bytes divided by the mean over all edges of the finest level.
    pub(super) edges: Csr<(u32, f32)>,
    /// Weight of all edges of the ranks in a vertex, including edges inside the vertex.
    pub(super) mass: Vec<f32>,
    /// Number of ranks in a vertex.
    pub(super) ranks: Vec<f32>,
}

impl Graph {
    /// The part of `affinity` between the ranks in `order`, numbered in that order.
    ///
    /// No edge may leave the part, and every rank of the part must have a partner.
    pub(super) fn new(affinity: &Affinity, order: &[Rank]) -> Self {
        let mut number = vec![0; affinity.ranks()];
        for (vertex, &rank) in (0..).zip(order) {
            number[rank.index()] = vertex;
        }
        let partners = order.iter().flat_map(|&rank| affinity.partners(rank));
        let bytes: u128 = partners.map(|(_, bytes)| u128::from(bytes)).sum();
        let edges: usize = order.iter().map(|&rank| affinity.degree(rank)).sum();
        let mean = bytes as f64 / edges as f64;
        let edge = |(other, bytes): (Rank, u64)| {
            let weight = (bytes as f64 / mean) as f32;
            (number[other.index()], weight)
        };
        let rows = order.iter().map(|&rank| affinity.partners(rank).map(edge));
        let mut graph = Self {
            edges: rows.collect(),
            mass: Vec::new(),
            ranks: vec![1.0; order.len()],
        };
        graph.mass = (0..graph.len()).map(|v| graph.degree(v)).collect();
        graph
    }

    /// The vertices in `range` and the edges between them, numbered from 0. No edge may leave the
    /// range.
    pub(super) fn part(&self, range: &Range<usize>) -> Self {
        let start = range.start as u32;
        let edge = |&(v, weight): &(u32, f32)| (v - start, weight);
        let rows = range.clone().map(|v| self.edges.row(v).iter().map(edge));
        Self {
            edges: rows.collect(),
            mass: self.mass[range.clone()].to_vec(),
            ranks: self.ranks[range.clone()].to_vec(),
        }
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.ranks.len()
    }

    /// The neighbours of `vertex` with the weights of the edges.
    pub(super) fn neighbours(&self, vertex: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let edges = self.edges.row(vertex).iter();
        edges.map(|&(v, w)| (v as usize, w))
    }

    /// Weight of all edges of `vertex`.
    pub(super) fn degree(&self, vertex: usize) -> f32 {
        self.neighbours(vertex).map(|(_, w)| w).sum()
    }
}

/// The ranks with partners, component by component, the largest first, each in breadth-first order.
#[derive(Debug)]
pub(super) struct Components {
    /// All ranks that have partners.
    pub(super) order: Vec<Rank>,
    /// The range of `order` that each component takes.
    pub(super) ranges: Vec<Range<usize>>,
}

impl Components {
    pub(super) fn of(affinity: &Affinity) -> Self {
        let mut seen = vec![false; affinity.ranks()];
        let mut components: Vec<Vec<Rank>> = (0..affinity.ranks())
            .map(Rank::at)
            .filter(|&rank| affinity.degree(rank) > 0)
            .filter_map(|rank| breadth_first(affinity, rank, &mut seen))
            .collect();
        components.sort_by_key(|ranks| std::cmp::Reverse(ranks.len()));
        let mut end = 0;
        let ranges = components.iter().map(|ranks| {
            end += ranks.len();
            end - ranks.len()..end
        });
        Self {
            ranges: ranges.collect(),
            order: components.concat(),
        }
    }
}

/// The component of `start` in breadth-first order; `None` if `start` has been seen.
fn breadth_first(affinity: &Affinity, start: Rank, seen: &mut [bool]) -> Option<Vec<Rank>> {
    if std::mem::replace(&mut seen[start.index()], true) {
        return None;
    }
    let (mut found, mut queue) = (Vec::new(), VecDeque::from([start]));
    while let Some(rank) = queue.pop_front() {
        found.push(rank);
        for (other, _) in affinity.partners(rank) {
            if !std::mem::replace(&mut seen[other.index()], true) {
                queue.push_back(other);
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_problem::testing::{graph, message};

    #[test]
    fn components_come_largest_first_and_isolated_ranks_not_at_all() {
        let pairs = [(0, 4), (1, 3), (3, 6), (6, 1)];
        let messages = pairs.iter().map(|&(a, b)| message(a, b, 8)).collect();
        let found = Components::of(&graph(7, messages).affinity());
        assert_eq!(found.order, [1, 3, 6, 0, 4].map(Rank));
        assert_eq!(found.ranges, [0..3, 3..5]);
    }

    #[test]
    fn a_part_keeps_its_own_edges() {
        let messages = vec![message(0, 1, 1), message(2, 3, 2), message(3, 4, 3)];
        let affinity = graph(5, messages).affinity();
        let order: Vec<Rank> = (0..5).map(Rank).collect();
        let part = Graph::new(&affinity, &order).part(&(2..5));
        // The mean of 1, 1, 2, 2, 3, 3 bytes is 2.
        let expected = [vec![(1, 1.0)], vec![(0, 1.0), (2, 1.5)], vec![(1, 1.5)]];
        assert_eq!(part.edges, expected.into_iter().collect());
        assert_eq!(part.mass, [1.0, 2.5, 1.5]);
    }
}
