//! Neighbours without weights.

use crate::pattern::traffic::Traffic;
use rayon::prelude::*;

/// A member with more partners than this is in no grid of up to five dimensions.
const MOST_PARTNERS: usize = 320;

/// Share of the edges up to which edges on no square and no triangle are taken for strays. Where there
/// are more, the grid has no squares.
const FEW: f64 = 0.15;

/// Seed degrees tried, the highest first: full neighbourhoods, with some strays left.
const SEED_DEGREES: usize = 4;

/// Members and their neighbours, hubs left out.
pub(super) struct Net {
    /// Neighbours of every member, ascending; none of a hub.
    neighbours: Vec<Vec<u32>>,
    hubs: usize,
}

impl Net {
    /// `None` if some member has too many partners.
    pub(super) fn of(traffic: &Traffic) -> Option<Self> {
        let degrees = traffic.degrees().into_iter();
        let mut neighbours: Vec<Vec<u32>> =
            degrees.map(|d| Vec::with_capacity(d as usize)).collect();
        // Pairs are ordered by low, then high: every list comes out ascending.
        for pair in &traffic.pairs {
            let (low, high) = (pair.low as usize, pair.high as usize);
            if !traffic.hub[low] && !traffic.hub[high] {
                neighbours[low].push(pair.high);
                neighbours[high].push(pair.low);
            }
        }
        debug_assert!(neighbours.iter().all(|list| list.is_sorted()));
        let sparse = neighbours.iter().all(|list| list.len() <= MOST_PARTNERS);
        sparse.then(|| Self {
            neighbours,
            hubs: traffic.hub.iter().filter(|&&hub| hub).count(),
        })
    }

    pub(super) fn members(&self) -> usize {
        self.neighbours.len()
    }

    /// Members that are no hub.
    pub(super) fn grown(&self) -> usize {
        self.members() - self.hubs
    }

    /// The least and the greatest number of cells the grid may have if it has no gaps.
    pub(super) fn grid_sizes(&self) -> (usize, usize) {
        (self.grown(), self.members())
    }

    pub(super) fn of_member(&self, member: u32) -> &[u32] {
        &self.neighbours[member as usize]
    }

    pub(super) fn adjacent(&self, a: u32, b: u32) -> bool {
        self.of_member(a).binary_search(&b).is_ok()
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let lists = self.neighbours.iter().enumerate();
        lists.flat_map(|(a, list)| {
            let a = a as u32;
            list.iter().filter(move |&&b| a < b).map(move |&b| (a, b))
        })
    }

    /// How many neighbours two members share.
    pub(super) fn common(&self, a: u32, b: u32) -> u32 {
        shared(self.of_member(a), self.of_member(b))
    }

    /// The net without edges that lie on no triangle and no square, if there are any, but few.
    pub(super) fn without_strays(&self) -> Option<Self> {
        let members = (0..self.members() as u32).into_par_iter();
        let strays: Vec<(u32, u32)> = members
            .flat_map_iter(|a| {
                let later = self.of_member(a).iter().filter(move |&&b| a < b);
                later.map(move |&b| (a, b))
            })
            .filter(|&(a, b)| self.is_stray(a, b))
            .collect();
        let edges: usize = self.neighbours.iter().map(Vec::len).sum::<usize>() / 2;
        if strays.is_empty() || strays.len() as f64 > FEW * edges as f64 {
            return None;
        }
        let mut neighbours = self.neighbours.clone();
        for (a, b) in strays {
            neighbours[a as usize].retain(|&x| x != b);
            neighbours[b as usize].retain(|&x| x != a);
        }
        Some(Self {
            neighbours,
            hubs: self.hubs,
        })
    }

    fn is_stray(&self, a: u32, b: u32) -> bool {
        let others = |x: u32, y: u32| self.of_member(x).iter().filter(move |&&z| z != y);
        !others(a, b).any(|&x| others(b, a).any(|&y| x == y || self.adjacent(x, y)))
    }

    /// Degrees that seeds may have, the highest first.
    pub(super) fn seed_degrees(&self) -> Vec<usize> {
        let mut degrees: Vec<usize> = self.neighbours.iter().map(Vec::len).collect();
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        degrees.dedup();
        degrees.retain(|&d| d > 0);
        degrees.truncate(SEED_DEGREES);
        degrees
    }
}

/// How many entries two ascending lists share.
pub(in crate::pattern) fn shared(mut a: &[u32], mut b: &[u32]) -> u32 {
    let mut count = 0;
    while let ([x, xs @ ..], [y, ys @ ..]) = (a, b) {
        count += u32::from(x == y);
        (a, b) = (if x <= y { xs } else { a }, if y <= x { ys } else { b });
    }
    count
}
