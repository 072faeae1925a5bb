//! Recursive bisection by one multilevel bisection per cut, with parts of exact size. The papers
//! use METIS or Scotch for this. Cost: O(m log n) for all cuts of a graph with n vertices and m
//! edges.

pub use super::multisection::bisect::SizeRange;
use super::multisection::bisect::{BisectionEffort, BisectionGraph, bisect};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_problem::weights::Weights;

/// One multilevel bisection from scratch, as a partitioner makes that is called once.
const CARE: BisectionEffort = BisectionEffort {
    seeds: 1,
    cycles: 0,
    tries: 4,
};

/// Bisects subsets of the vertices of one graph.
pub struct ExactBisector<'a> {
    weights: &'a Weights,
    /// What every vertex counts in the size of a part.
    sizes: Vec<u32>,
    /// Index of every vertex in the current subset.
    place: Vec<u32>,
    seed: u64,
}

/// The index of a vertex outside the current subset.
const ELSEWHERE: u32 = u32::MAX;

impl<'a> ExactBisector<'a> {
    /// Parts are as large as the number of their vertices.
    pub fn new(weights: &'a Weights, seed: u64) -> Self {
        Self::with_sizes(weights, vec![1; weights.vertices()], seed)
    }

    /// Parts are as large as the sum of the `sizes` of their vertices, of which some may be 0.
    pub fn with_sizes(weights: &'a Weights, sizes: Vec<u32>, seed: u64) -> Self {
        Self {
            weights,
            sizes,
            place: vec![ELSEWHERE; weights.vertices()],
            seed,
        }
    }

    /// Divides `members` into two parts with few bytes between them; the first part is
    /// `room.least` to `room.most` large.
    pub fn halve(&mut self, members: &[u32], room: SizeRange) -> [Vec<u32>; 2] {
        if room.most == 0 {
            return [Vec::new(), members.to_vec()];
        }
        if room.least == self.size(members) {
            return [members.to_vec(), Vec::new()];
        }
        let piece = self.piece(members);
        let mark = u64::from(members[0]) << 32 | members.len() as u64;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ mark);
        let sides = bisect(&piece, room, CARE, None, &mut random, &mut 0);
        [false, true].map(|side| {
            let chosen = members.iter().zip(&sides).filter(|&(_, &s)| s == side);
            chosen.map(|(&vertex, _)| vertex).collect()
        })
    }

    /// The sum of the sizes of vertices.
    pub fn size(&self, members: &[u32]) -> i64 {
        let sizes = members.iter().map(|&vertex| self.sizes[vertex as usize]);
        sizes.map(i64::from).sum()
    }

    fn piece(&mut self, members: &[u32]) -> BisectionGraph {
        for (place, &vertex) in (0..).zip(members) {
            self.place[vertex as usize] = place;
        }
        let row = |&vertex: &u32| {
            let partners = self.weights.partners(vertex);
            let place = |(partner, bytes)| (self.place[partner as usize], bytes);
            partners.map(place).filter(|&(place, _)| place != ELSEWHERE)
        };
        let piece = BisectionGraph {
            edges: members.iter().map(row).collect(),
            ranks: members.iter().map(|&v| self.sizes[v as usize]).collect(),
            pull: vec![0; members.len()],
        };
        for &vertex in members {
            self.place[vertex as usize] = ELSEWHERE;
        }
        piece
    }
}

/// The sizes allowed for a first part of exactly `size` vertices.
pub fn exactly(size: usize) -> SizeRange {
    SizeRange {
        least: size as i64,
        most: size as i64,
    }
}
