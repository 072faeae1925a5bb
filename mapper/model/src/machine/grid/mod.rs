//! Torus and mesh of any dimension: `torus:8x8x16[@bw,..]`, `mesh:16x16[@bw,..]`, `hypercube:N`.
//!
//! A torus dimension of size 2 has one cable between its two nodes, a dimension of size 1 has none.

mod bisection;

use super::spec::{Family, sizes_and_bandwidths};
use super::{Bisection, DistanceProfile, Distances, Flow, Routing, Topology, Wiring};
use crate::ids::{ChannelId, NodeId};
use rayon::prelude::*;

/// Flows are noted side by side in at most this many parts, each with its own table of channels ..
const PARTS: usize = 4;
/// .. but in none smaller than this.
const LEAST_PART: usize = 1 << 16;

/// The `torus` family.
pub(super) const TORUS: Family = Family {
    name: "torus",
    grammar: "torus:AxBx..[@bw,..]",
    build: |text| Ok(Box::new(Grid::parse(text, true)?)),
};

/// The `mesh` family.
pub(super) const MESH: Family = Family {
    name: "mesh",
    grammar: "mesh:AxBx..[@bw,..]",
    build: |text| Ok(Box::new(Grid::parse(text, false)?)),
};

/// The `hypercube` family: the torus of N dimensions of size 2, whose last dimension is the lowest bit.
pub(super) const HYPERCUBE: Family = Family {
    name: "hypercube",
    grammar: "hypercube:N (2^N nodes)",
    build: |text| match text.parse() {
        Ok(dims @ 1..=24) => Ok(Box::new(Grid::new(vec![2; dims], true))),
        _ => Err(format!(
            "{text:?} is not a number of dimensions from 1 to 24"
        )),
    },
};

/// A torus (all dimensions wrap) or a mesh (none does).
#[derive(Clone, Debug)]
pub struct Grid {
    dims: Vec<usize>,
    wraps: bool,
    bandwidths: Vec<f64>,
    given_bandwidths: bool,
}

impl Grid {
    /// A grid whose links all have bandwidth 1.
    #[must_use]
    pub fn new(dims: Vec<usize>, wraps: bool) -> Self {
        Self {
            bandwidths: vec![1.0; dims.len()],
            given_bandwidths: false,
            dims,
            wraps,
        }
    }

    fn parse(text: &str, wraps: bool) -> Result<Self, String> {
        let (dims, bandwidths) = sizes_and_bandwidths(text)?;
        let mut grid = Self::new(dims, wraps);
        if let Some(bandwidths) = bandwidths {
            grid.bandwidths = bandwidths;
            grid.given_bandwidths = true;
        }
        Ok(grid)
    }

    /// Size of every dimension; the last one varies fastest in the node index.
    #[must_use]
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Whether dimensions close to rings.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// Coordinates of a node.
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

    /// Signed shortest step count from `a` to `b` along dimension `dim`; half-way ties are positive.
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

    /// The neighbour of coordinate `c` in `dim`, if there is a link that way.
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

    /// Coordinates of every node, one node after the other.
    fn all_coordinates(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.nodes() * self.dims.len());
        let mut at = vec![0; self.dims.len()];
        for _ in 0..self.nodes() {
            all.extend_from_slice(&at);
            for (c, &k) in at.iter_mut().zip(&self.dims).rev() {
                *c += 1;
                if *c as usize != k {
                    break;
                }
                *c = 0;
            }
        }
        all
    }

    /// Adds a flow to the difference arrays of the lines it runs along.
    fn note_ends(&self, coordinates: &[u32], flow: &Flow, differences: &mut [u64]) {
        let dims = self.dims.len();
        let of = |node: NodeId| &coordinates[node.index() * dims..][..dims];
        let (mut at, nodes) = (flow.from.index(), self.nodes());
        let mut stride = nodes;
        let mut channels = 0;
        let ends = of(flow.from).iter().zip(of(flow.to));
        for (&k, (&here, &there)) in self.dims.iter().zip(ends) {
            stride /= k;
            let line = at - here as usize * stride;
            if here != there {
                let (forward, first, last) = self.run(k, here as usize, there as usize);
                let start = channels + if forward { 0 } else { nodes };
                let mut note = |c: usize, bytes: u64| {
                    let entry = &mut differences[start + line + c * stride];
                    *entry = entry.wrapping_add(bytes);
                };
                note(first, flow.bytes);
                if last < k {
                    note(last, flow.bytes.wrapping_neg());
                } else if last > k {
                    note(last - k, flow.bytes.wrapping_neg());
                    note(0, flow.bytes);
                }
            }
            at = line + there as usize * stride;
            channels += 2 * nodes;
        }
    }

    /// Direction, first channel and end (beyond `k` if it wraps) of the run of channels between two
    /// different coordinates of a line of `k` nodes; channels have the coordinate they leave.
    fn run(&self, k: usize, here: usize, there: usize) -> (bool, usize, usize) {
        let ahead = if there > here {
            there - here
        } else {
            there + k - here
        };
        let forward = if self.wraps {
            2 * ahead <= k
        } else {
            there > here
        };
        if forward {
            return (true, here, here + ahead);
        }
        let behind = k - ahead;
        let first = if here + 1 >= behind {
            here + 1 - behind
        } else {
            here + 1 + k - behind
        };
        (false, first, first + behind)
    }

    fn sum_along_lines(&self, differences: &mut [u64]) {
        let mut stride = self.nodes();
        for (dim, &k) in self.dims.iter().enumerate() {
            stride /= k;
            for direction in differences[2 * dim * self.nodes()..][..2 * self.nodes()]
                .chunks_exact_mut(self.nodes())
            {
                for node in 0..self.nodes() {
                    let behind = node / stride % k;
                    if behind > 0 {
                        direction[node] = direction[node].wrapping_add(direction[node - stride]);
                    }
                }
            }
        }
    }

    /// Channel `(dim, direction, node it leaves)`.
    pub(crate) fn channel(&self, dim: usize, forward: bool, from: NodeId) -> ChannelId {
        ChannelId::at((2 * dim + usize::from(!forward)) * self.nodes() + from.index())
    }
}

impl Topology for Grid {
    fn spec(&self) -> String {
        let dims: Vec<String> = self.dims.iter().map(ToString::to_string).collect();
        let mut spec = format!(
            "{}:{}",
            if self.wraps { "torus" } else { "mesh" },
            dims.join("x")
        );
        if self.given_bandwidths {
            let bandwidths: Vec<String> = self.bandwidths.iter().map(ToString::to_string).collect();
            spec += &format!("@{}", bandwidths.join(","));
        }
        spec
    }

    fn nodes(&self) -> usize {
        self.dims.iter().product()
    }

    fn hops(&self, from: NodeId, to: NodeId) -> u32 {
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

    fn distances(&self) -> Distances {
        Distances::grid(&self.dims, self.wraps)
    }

    fn distance_profile(&self) -> DistanceProfile {
        DistanceProfile::grid(&self.dims, self.wraps)
    }

    fn diameter(&self) -> u32 {
        self.dims
            .iter()
            .map(|k| if self.wraps { k / 2 } else { k - 1 })
            .sum::<usize>() as u32
    }

    fn nearest(&self, node: NodeId) -> Vec<NodeId> {
        let mut at = self.coordinates(node);
        let mut near = Vec::with_capacity(2 * at.len());
        for dim in 0..at.len() {
            let here = at[dim];
            for forward in [false, true] {
                if let Some(there) = self.step(dim, here, forward) {
                    at[dim] = there;
                    near.push(self.node_at(&at));
                }
            }
            at[dim] = here;
        }
        near.sort_unstable();
        near
    }

    fn channels(&self) -> usize {
        2 * self.dims.len() * self.nodes()
    }

    fn bandwidth(&self, channel: ChannelId) -> f64 {
        self.bandwidths[channel.index() / self.nodes() / 2]
    }

    fn routing(&self) -> Routing {
        Routing::Dor
    }

    fn route(&self, from: NodeId, to: NodeId, visit: &mut dyn FnMut(ChannelId)) {
        let (mut at, end) = (self.coordinates(from), self.coordinates(to));
        for dim in 0..at.len() {
            let steps = self.displacement(dim, at[dim], end[dim]);
            let (forward, k) = (steps > 0, self.dims[dim]);
            for _ in 0..steps.unsigned_abs() {
                visit(self.channel(dim, forward, self.node_at(&at)));
                at[dim] = if forward {
                    (at[dim] + 1) % k
                } else {
                    (at[dim] + k - 1) % k
                };
            }
        }
    }

    /// Every leg of a route is a run of channels on one line: only its ends are noted, as a difference
    /// array kept in the loads themselves, and summed up along the lines at the end.
    fn loads(&self, flows: &[Flow]) -> Vec<u64> {
        let coordinates = self.all_coordinates();
        let noted = |flows: &[Flow]| {
            let mut differences = vec![0u64; self.channels()];
            for flow in flows {
                self.note_ends(&coordinates, flow, &mut differences);
            }
            differences
        };
        let mut loads = flows
            .par_chunks(flows.len().div_ceil(PARTS).max(LEAST_PART))
            .map(noted)
            .reduce_with(|mut sum, part| {
                sum.iter_mut()
                    .zip(part)
                    .for_each(|(sum, part)| *sum = sum.wrapping_add(part));
                sum
            })
            .unwrap_or_else(|| vec![0; self.channels()]);
        self.sum_along_lines(&mut loads);
        loads
    }

    fn wiring(&self) -> Wiring {
        let mut edges = Vec::new();
        for node in (0..self.nodes()).map(NodeId::at) {
            let mut at = self.coordinates(node);
            for dim in 0..at.len() {
                let here = at[dim];
                for forward in [false, true] {
                    if let Some(there) = self.step(dim, here, forward) {
                        at[dim] = there;
                        edges.push((node.0, self.node_at(&at).0, self.bandwidths[dim]));
                    }
                }
                at[dim] = here;
            }
        }
        edges.sort_unstable_by_key(|&(from, to, _)| (from, to));
        Wiring {
            vertices: self.nodes(),
            edges,
        }
    }

    fn grid(&self) -> Option<&Grid> {
        Some(self)
    }

    fn bisection(&self) -> Bisection {
        match self.halves() {
            Some(bandwidth) => Bisection::Exactly(bandwidth),
            None => Bisection::of_first_half(self.nodes(), &self.wiring()),
        }
    }
}

#[cfg(test)]
mod tests;
