//! Neighbours of members, without weights.

use rankfold_base::Csr;
use rayon::prelude::*;

/// Most partners of a member; a 5-dimensional box with two steps along each dimension has fewer
/// neighbours. Chosen by hand.
const MAX_PARTNERS: usize = 320;

/// Edges on no square and no triangle are strays only if they are less than this share of all
/// edges; otherwise the grid has no squares. Chosen by hand.
const FEW: f64 = 0.15;

/// Number of different degrees that seeds may have, the highest first. Members in the interior have
/// full neighbourhoods; some may have strays in addition. Chosen by hand.
const SEED_DEGREES: usize = 4;

/// Members and their neighbours.
#[derive(Clone, Debug)]
pub(super) struct Adjacency {
    /// Neighbours of every member in ascending order; none for a hub that is left out.
    neighbours: Csr<u32>,
    hubs: usize,
}

impl Adjacency {
    /// `edges` lists every pair once, ordered by its lower, then its higher member. `hubs` is the
    /// number of members that are left out.
    pub(super) fn new(
        members: usize,
        hubs: usize,
        edges: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Self {
        // Edges in this order make every list ascending.
        let ends = edges.flat_map(|(low, high)| [(low as usize, high), (high as usize, low)]);
        Self {
            neighbours: Csr::grouped(members, ends),
            hubs,
        }
    }

    /// Whether some member has more partners than any cell of a grid has neighbours.
    pub(super) fn is_crowded(&self) -> bool {
        self.most_neighbours() > MAX_PARTNERS
    }

    pub(super) fn members(&self) -> usize {
        self.neighbours.rows()
    }

    /// Number of members that are no hub.
    pub(super) fn grown(&self) -> usize {
        self.members() - self.hubs
    }

    /// Least and greatest number of cells of a grid without gaps.
    pub(super) fn grid_sizes(&self) -> (usize, usize) {
        (self.grown(), self.members())
    }

    pub(super) fn of_member(&self, member: u32) -> &[u32] {
        self.neighbours.row(member as usize)
    }

    fn degrees(&self) -> impl Iterator<Item = usize> + '_ {
        self.neighbours.iter().map(<[u32]>::len)
    }

    /// The highest degree.
    pub(super) fn most_neighbours(&self) -> usize {
        self.degrees().max().unwrap_or(0)
    }

    pub(super) fn adjacent(&self, a: u32, b: u32) -> bool {
        self.of_member(a).binary_search(&b).is_ok()
    }

    /// All edges, ordered by the lower, then the higher member.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.members() as u32).flat_map(|member| self.edges_from(member))
    }

    /// Edges to members with higher numbers.
    fn edges_from(&self, member: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
        let others = self.of_member(member).iter();
        let later = others.filter(move |&&other| member < other);
        later.map(move |&other| (member, other))
    }

    /// Number of neighbours that two members share.
    pub(super) fn common(&self, a: u32, b: u32) -> u32 {
        shared(self.of_member(a), self.of_member(b))
    }

    /// The adjacency without stray edges (on no triangle and no square). `None` if there are none
    /// or too many.
    pub(super) fn without_strays(&self) -> Option<Self> {
        let members = (0..self.members() as u32).into_par_iter();
        // Strays in the order of [`edges`](Self::edges).
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

    /// Whether an edge lies on no triangle and on no square. Triangles are quick to check and come
    /// first.
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

/// Number of entries that two ascending lists share.
pub(super) fn shared(a: &[u32], b: &[u32]) -> u32 {
    common(a, b).count() as u32
}

/// Entries that two ascending lists share.
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
