//! Coordinates, neighbours and distances on a torus or mesh of any dimension.

use rankfold_base::{ChannelId, NodeId};

/// The geometry of a torus (all dimensions wrap around) or a mesh (no dimension does), without the
/// speeds of links.
///
/// ```
/// use rankfold_base::NodeId;
/// use rankfold_machine::Grid;
///
/// let torus = Grid::new(vec![4, 8], true);
/// assert_eq!(torus.coordinates(NodeId(11)), [1, 3]); // the last dimension is fastest
/// assert_eq!(torus.hops(NodeId(0), torus.node_at(&[3, 6])), 1 + 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    dims: Vec<usize>,
    wraps: bool,
}

impl Grid {
    /// A torus (`wraps`) or a mesh of these sizes.
    #[must_use]
    pub fn new(dims: Vec<usize>, wraps: bool) -> Self {
        Self { dims, wraps }
    }

    /// Size of every dimension. The last dimension varies fastest in the node index.
    #[must_use]
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Whether the dimensions are rings: a torus.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.dims.iter().product()
    }

    /// Coordinates of a node, one for each dimension.
    #[must_use]
    pub fn coordinates(&self, node: NodeId) -> Vec<usize> {
        let mut rest = node.index();
        let mut at = vec![0; self.dims.len()];
        for (c, &k) in at.iter_mut().zip(&self.dims).rev() {
            *c = rest % k;
            rest /= k;
        }
        at
    }

    /// The node at the given coordinates.
    #[must_use]
    pub fn node_at(&self, at: &[usize]) -> NodeId {
        NodeId::at(at.iter().zip(&self.dims).fold(0, |n, (&c, &k)| n * k + c))
    }

    /// The signed number of links of the shorter way from coordinate `a` to `b` of dimension `dim`.
    /// If both ways round a ring are equally long, the number is positive, whichever way messages
    /// take: see [`Ties`](super::Ties).
    #[must_use]
    pub fn displacement(&self, dim: usize, a: usize, b: usize) -> isize {
        let k = self.dims[dim];
        if !self.wraps {
            return b as isize - a as isize;
        }
        let forward = (b + k - a) % k;
        if 2 * forward <= k {
            forward as isize
        } else {
            forward as isize - k as isize
        }
    }

    /// Whether two coordinates can be half a ring apart, so that two ways are equally long. The two
    /// nodes of a ring of two have one cable, so there is one way.
    #[must_use]
    pub fn has_ties(&self) -> bool {
        self.wraps && self.dims.iter().any(|&k| k > 2 && k % 2 == 0)
    }

    /// The number of links on a shortest path between two nodes.
    #[must_use]
    pub fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        let (mut a, mut b, mut hops) = (from.index(), to.index(), 0);
        for &k in self.dims.iter().rev() {
            let apart = (a % k).abs_diff(b % k);
            hops += if self.wraps {
                apart.min(k - apart)
            } else {
                apart
            };
            a /= k;
            b /= k;
        }
        hops as u32
    }

    /// The largest number of [`hops`](Self::hops) between any two nodes.
    #[must_use]
    pub fn diameter(&self) -> u32 {
        self.dims
            .iter()
            .map(|k| if self.wraps { k / 2 } else { k - 1 })
            .sum::<usize>() as u32
    }

    /// The nodes one link away from a node, ascending.
    #[must_use]
    pub fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let mut near: Vec<NodeId> = self.neighbours(node).into_iter().map(|n| n.1).collect();
        near.sort_unstable();
        near
    }

    /// The nodes one link away from a node, each with the dimension of the link.
    pub(super) fn neighbours(&self, node: NodeId) -> Vec<(usize, NodeId)> {
        let mut at = self.coordinates(node);
        let mut near = Vec::with_capacity(2 * at.len());
        for dim in 0..at.len() {
            let here = at[dim];
            for forward in [false, true] {
                if let Some(there) = self.step(dim, here, forward) {
                    at[dim] = there;
                    near.push((dim, self.node_at(&at)));
                }
            }
            at[dim] = here;
        }
        near
    }

    /// The channels that leave a node, each with the node it leads to.
    pub(super) fn leaving(&self, node: NodeId) -> Vec<(ChannelId, NodeId)> {
        let mut at = self.coordinates(node);
        let mut leaving = Vec::with_capacity(2 * at.len());
        for dim in 0..at.len() {
            let here = at[dim];
            for forward in [false, true] {
                if let Some(there) = self.step(dim, here, forward) {
                    at[dim] = there;
                    leaving.push((self.channel(dim, forward, node), self.node_at(&at)));
                }
            }
            at[dim] = here;
        }
        leaving
    }

    /// The coordinate next to `c` in dimension `dim`, upwards (`forward`) or downwards; `None` if
    /// there is no link.
    fn step(&self, dim: usize, c: usize, forward: bool) -> Option<usize> {
        let k = self.dims[dim];
        match (self.wraps, forward) {
            (_, _) if k == 1 => None,
            (true, true) => Some((c + 1) % k),
            (true, false) if k == 2 => None,
            (true, false) => Some((c + k - 1) % k),
            (false, true) => (c + 1 < k).then_some(c + 1),
            (false, false) => c.checked_sub(1),
        }
    }

    /// Number of links along dimension `dim`, each of them two channels.
    #[must_use]
    pub fn links(&self, dim: usize) -> usize {
        let k = self.dims[dim];
        let of_line = if self.wraps && k > 2 { k } else { k - 1 };
        self.nodes() / k * of_line
    }

    /// Number of [channels](Self::channel). Some numbers are not used: there is no channel at the
    /// border of a mesh, nor a second cable between the nodes of a ring of two.
    #[must_use]
    pub fn channels(&self) -> usize {
        2 * self.dims.len() * self.nodes()
    }

    /// The channel that leaves node `from` along dimension `dim`, upwards (`forward`) or downwards.
    #[must_use]
    pub fn channel(&self, dim: usize, forward: bool, from: NodeId) -> ChannelId {
        ChannelId::at((2 * dim + usize::from(!forward)) * self.nodes() + from.index())
    }
}
