//! Neighbours without weights.

use crate::csr::Csr;
use rayon::prelude::*;

/// A member with more partners than this is in no grid of up to five dimensions.
const MOST_PARTNERS: usize = 320;

/// Share of the edges up to which edges on no square and no triangle are taken for strays. Where
/// there are more, the grid has no squares.
const FEW: f64 = 0.15;

/// Seed degrees tried, the highest first: full neighbourhoods, with some strays left.
const SEED_DEGREES: usize = 4;

/// Members and their neighbours.
#[derive(Clone, Debug)]
pub(super) struct Adjacency {
    /// Neighbours of every member, ascending; none of a hub that is left out.
    neighbours: Csr<u32>,
    hubs: usize,
}

impl Adjacency {
    /// `edges` lists every pair once, ordered by its lower, then its higher member; `hubs` members
    /// are left out.
    pub(super) fn new(
        members: usize,
        hubs: usize,
        edges: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Self {
        // With the edges in this order every list comes out ascending.
        let ends = edges.flat_map(|(low, high)| [(low as usize, high), (high as usize, low)]);
        Self {
            neighbours: Csr::grouped(members, ends),
            hubs,
        }
    }

    /// Whether some member has more partners than any cell of a grid has neighbours.
    pub(super) fn is_crowded(&self) -> bool {
        self.most_neighbours() > MOST_PARTNERS
    }

    pub(super) fn members(&self) -> usize {
        self.neighbours.rows()
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
        self.neighbours.row(member as usize)
    }

    fn degrees(&self) -> impl Iterator<Item = usize> + '_ {
        self.neighbours.iter().map(<[u32]>::len)
    }

    /// Neighbours of the member that has most.
    pub(super) fn most_neighbours(&self) -> usize {
        self.degrees().max().unwrap_or(0)
    }

    pub(super) fn adjacent(&self, a: u32, b: u32) -> bool {
        self.of_member(a).binary_search(&b).is_ok()
    }

    /// Every edge once, ordered by its lower, then its higher member.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.members() as u32).flat_map(|member| self.edges_from(member))
    }

    /// Edges to members with higher numbers.
    fn edges_from(&self, member: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
        let others = self.of_member(member).iter();
        let later = others.filter(move |&&other| member < other);
        later.map(move |&other| (member, other))
    }

    /// How many neighbours two members share.
    pub(super) fn common(&self, a: u32, b: u32) -> u32 {
        shared(self.of_member(a), self.of_member(b))
    }

    /// The net without edges that lie on no triangle and no square, if there are any, but few.
    pub(super) fn without_strays(&self) -> Option<Self> {
        let members = (0..self.members() as u32).into_par_iter();
        // In the order of all edges.
        let strays: Vec<(u32, u32)> = members
            .flat_map_iter(|member| self.edges_from(member))
            .filter(|&(a, b)| self.is_stray(a, b))
            .collect();
        let edges = self.neighbours.entries().len() / 2;
        if strays.is_empty() || strays.len() as f64 > FEW * edges as f64 {
            return None;
        }
        let mut rest = strays.iter().copied().peekable();
        let edges = self.edges();
        let kept = edges.filter(move |edge| rest.next_if_eq(edge).is_none());
        Some(Self::new(self.members(), self.hubs, kept))
    }

    /// Whether an edge lies on no triangle, which is quickly found out, and on no square.
    fn is_stray(&self, a: u32, b: u32) -> bool {
        if common(self.of_member(a), self.of_member(b))
            .next()
            .is_some()
        {
            return false;
        }
        let others = |x: u32, y: u32| self.of_member(x).iter().filter(move |&&z| z != y);
        !others(a, b).any(|&x| others(b, a).any(|&y| self.adjacent(x, y)))
    }

    /// Degrees that seeds may have, the highest first.
    pub(super) fn seed_degrees(&self) -> Vec<usize> {
        let mut degrees: Vec<usize> = self.degrees().collect();
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        degrees.dedup();
        degrees.retain(|&d| d > 0);
        degrees.truncate(SEED_DEGREES);
        degrees
    }
}

/// How many entries two ascending lists share.
pub(super) fn shared(a: &[u32], b: &[u32]) -> u32 {
    common(a, b).count() as u32
}

/// Entries of both of two ascending lists.
fn common<'a>(mut a: &'a [u32], mut b: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    std::iter::from_fn(move || {
        while let ([x, xs @ ..], [y, ys @ ..]) = (a, b) {
            (a, b) = (if x <= y { xs } else { a }, if y <= x { ys } else { b });
            if x == y {
                return Some(*x);
            }
        }
        None
    })
}
