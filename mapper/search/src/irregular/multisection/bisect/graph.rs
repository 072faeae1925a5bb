//! The graph that is bisected, and its coarsening by heavy-edge matching.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_base::Csr;

/// A graph with weighted vertices, each of which is pulled to one side from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct BisectionGraph {
    /// Partner and bytes of every edge of every vertex; each edge is listed at both ends.
    pub(crate) edges: Csr<(u32, i64)>,
    /// Number of ranks in every vertex.
    pub(crate) ranks: Vec<u32>,
    /// Cost of each vertex on side 1, relative to side 0.
    pub(crate) pull: Vec<i64>,
}

/// The side of every vertex; `false` is side 0.
pub(crate) type Sides = Vec<bool>;

impl BisectionGraph {
    pub(crate) fn len(&self) -> usize {
        self.ranks.len()
    }

    #[inline]
    pub(crate) fn edges(&self, vertex: u32) -> impl ExactSizeIterator<Item = (u32, i64)> + '_ {
        self.edges.row(vertex as usize).iter().copied()
    }

    pub(super) fn total(&self) -> i64 {
        self.ranks.iter().map(|&r| i64::from(r)).sum()
    }

    pub(super) fn largest(&self) -> i64 {
        i64::from(self.ranks.iter().copied().max().unwrap_or(0))
    }

    /// Bytes cut plus the pulls of vertices on side 1. Only differences between divisions of the
    /// same graph have a meaning.
    pub(super) fn cost(&self, sides: &[bool]) -> i64 {
        (0..self.len() as u32)
            .map(|v| {
                let here = sides[v as usize];
                let cut = self
                    .edges(v)
                    .filter(|&(w, _)| w < v && sides[w as usize] != here);
                let pull = if here { self.pull[v as usize] } else { 0 };
                cut.map(|(_, bytes)| bytes).sum::<i64>() + pull
            })
            .sum()
    }

    /// Number of ranks on side 0.
    pub(super) fn on_side_0(&self, sides: &[bool]) -> i64 {
        let here = self.ranks.iter().zip(sides).filter(|(_, side)| !**side);
        here.map(|(&ranks, _)| i64::from(ranks)).sum()
    }

    /// The graph whose vertices are pairs of vertices with heavy edges. No pair has more than
    /// `most` ranks, and each consists of vertices that `joins` allows to be merged.
    ///
    /// Returns the coarser graph and, for each vertex, the coarse vertex that holds it.
    pub(super) fn coarser(
        &self,
        joins: impl Fn(u32, u32) -> bool,
        most: i64,
        random: &mut Xoshiro256PlusPlus,
    ) -> (Self, Vec<u32>) {
        let (coarse_of, members) = self.matching(joins, most, random);
        let mut coarse = Self::default();
        // For each coarse vertex: the vertex that met it last as a partner, and its index in the
        // row.
        let mut met = vec![(u32::MAX, 0); members.len()];
        let mut row: Vec<(u32, i64)> = Vec::new();
        for (vertex, &(one, other)) in (0..).zip(&members) {
            let mut sums = (0, 0);
            for member in std::iter::once(one).chain((other != one).then_some(other)) {
                sums.0 += self.ranks[member as usize];
                sums.1 += self.pull[member as usize];
                for (w, bytes) in self.edges(member) {
                    let partner = coarse_of[w as usize];
                    if partner == vertex {
                        continue;
                    }
                    match met[partner as usize] {
                        (by, place) if by == vertex => row[place as usize].1 += bytes,
                        _ => {
                            met[partner as usize] = (vertex, row.len() as u32);
                            row.push((partner, bytes));
                        }
                    }
                }
            }
            coarse.edges.push_row(row.drain(..));
            coarse.ranks.push(sums.0);
            coarse.pull.push(sums.1);
        }
        (coarse, coarse_of)
    }

    /// Heavy-edge matching in random order. An edge is rated by its bytes over the product of the
    /// ranks of its ends, so that coarse vertices stay of similar size.
    fn matching(
        &self,
        joins: impl Fn(u32, u32) -> bool,
        most: i64,
        random: &mut Xoshiro256PlusPlus,
    ) -> (Vec<u32>, Vec<(u32, u32)>) {
        const FREE: u32 = u32::MAX;
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.shuffle(random);
        let mut coarse_of = vec![FREE; self.len()];
        let mut members = Vec::with_capacity(self.len() / 2);
        for v in order {
            if coarse_of[v as usize] != FREE {
                continue;
            }
            let mut best = (v, -1.0);
            for (w, bytes) in self.edges(v) {
                let ranks = (self.ranks[v as usize], self.ranks[w as usize]);
                let fits = i64::from(ranks.0) + i64::from(ranks.1) <= most && joins(v, w);
                let rating = bytes as f64 / (f64::from(ranks.0) * f64::from(ranks.1));
                if coarse_of[w as usize] == FREE && fits && rating > best.1 {
                    best = (w, rating);
                }
            }
            coarse_of[v as usize] = members.len() as u32;
            coarse_of[best.0 as usize] = members.len() as u32;
            members.push((v, best.0));
        }
        (coarse_of, members)
    }

    /// A random vertex.
    pub(super) fn random_vertex(&self, random: &mut Xoshiro256PlusPlus) -> u32 {
        random.random_range(0..self.len() as u32)
    }
}
