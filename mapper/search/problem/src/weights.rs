//! The communication graph for searches on sites: both directions added, in signed 64-bit weights.

use rankfold_base::{Csr, Rank};
use rankfold_graph::Affinity;

/// A symmetric weighted graph.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The partner and the weight of every edge of every vertex. An edge is listed at both its
    /// ends.
    edges: Csr<(u32, i64)>,
    /// A power of two by which weights can be multiplied, so that parts of them can be rounded
    /// whatever unit the weights have.
    finer: i64,
}

/// Bits of the sum of all weights when they are multiplied by `finer`, so that sums times distances
/// fit 62 bits.
const FINE: u32 = 44;

impl Weights {
    /// The weights of a graph whose ranks are at most `diameter` hops apart: its bytes, halved
    /// until every sum of bytes x hops fits 62 bits.
    pub fn new(affinity: &Affinity, diameter: u32) -> Self {
        let ranks = || (0..affinity.ranks()).map(Rank::at);
        let all: u128 = ranks()
            .flat_map(|r| affinity.partners(r).map(|(_, bytes)| u128::from(bytes)))
            .sum();
        let most = all * u128::from(diameter.max(1)) * 4;
        let shift = (u128::BITS - most.leading_zeros()).saturating_sub(62);
        let row = |rank| {
            let partners = affinity.partners(rank);
            partners.map(move |(partner, bytes)| (partner.0, (bytes >> shift).max(1) as i64))
        };
        Self::of(ranks().map(row).collect())
    }

    fn of(edges: Csr<(u32, i64)>) -> Self {
        let all: i64 = edges.entries().iter().map(|&(_, weight)| weight).sum();
        let bits = u64::BITS - all.leading_zeros();
        Self {
            edges,
            finer: 1 << FINE.saturating_sub(bits),
        }
    }

    /// A graph from its edges. Each edge is given from both ends, ascending by `(from, to)`.
    /// Weights are positive.
    pub fn of_edges(vertices: usize, edges: impl Iterator<Item = (u32, u32, i64)>) -> Self {
        let edges = edges.map(|(from, to, weight)| (from as usize, (to, weight)));
        Self::of(Csr::sorted(vertices, edges))
    }

    /// The weights between groups of vertices. `group_of` is the group of every vertex.
    pub fn between(&self, group_of: &[u32], groups: usize) -> Self {
        let by_group = group_of.iter().map(|&group| group as usize).zip(0..);
        let members: Csr<u32> = Csr::grouped(groups, by_group);
        let mut edges = Csr::default();
        let mut sums = vec![0i64; groups];
        let mut met = Vec::new();
        for (group, members) in (0..).zip(members.iter()) {
            for (partner, bytes) in members.iter().flat_map(|&v| self.partners(v)) {
                let other = group_of[partner as usize];
                if other != group {
                    if sums[other as usize] == 0 {
                        met.push(other);
                    }
                    sums[other as usize] += bytes;
                }
            }
            met.sort_unstable();
            let sum = |other| (other, std::mem::take(&mut sums[other as usize]));
            edges.push_row(met.drain(..).map(sum));
        }
        Self::of(edges)
    }

    /// A power of two by which weights can be multiplied before parts of them are rounded.
    #[must_use]
    #[inline]
    pub fn finer(&self) -> i64 {
        self.finer
    }

    /// Number of vertices.
    #[inline]
    pub fn vertices(&self) -> usize {
        self.edges.rows()
    }

    /// The number of edges, each counted from both ends.
    pub fn edges(&self) -> usize {
        self.edges.entries().len()
    }

    /// The number of partners of a vertex.
    #[inline]
    pub fn degree(&self, vertex: u32) -> usize {
        self.edges.row(vertex as usize).len()
    }

    /// The partners of a vertex, with the weights of the edges.
    #[inline]
    pub fn partners(&self, vertex: u32) -> impl ExactSizeIterator<Item = (u32, i64)> + '_ {
        self.edges.row(vertex as usize).iter().copied()
    }

    /// The partner at index `place` of a vertex's list.
    #[inline]
    pub fn partner(&self, vertex: u32, place: usize) -> u32 {
        self.edges.row(vertex as usize)[place].0
    }
}
