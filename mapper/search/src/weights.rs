//! Who talks to whom, as the searches on sites want it: both directions added, 64 bits, plain arrays.

use rankfold_model::comm::Affinity;
use rankfold_model::ids::Rank;

/// A symmetric weighted graph.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// First edge of every vertex, and one past the last edge; every edge is listed from both ends.
    first: Vec<u32>,
    partner: Vec<u32>,
    bytes: Vec<i64>,
}

impl Weights {
    /// The bytes of a graph whose ranks are at most `diameter` hops apart.
    ///
    /// Bytes are halved until no sum of bytes times hops leaves 62 bits.
    pub(crate) fn new(affinity: &Affinity, diameter: u32) -> Self {
        let ranks = || (0..affinity.ranks()).map(Rank::at);
        let all: u128 = ranks()
            .flat_map(|r| affinity.partners(r).map(|(_, bytes)| u128::from(bytes)))
            .sum();
        let most = all * u128::from(diameter.max(1)) * 4;
        let shift = (u128::BITS - most.leading_zeros()).saturating_sub(62);
        let mut weights = Self {
            first: vec![0],
            partner: Vec::new(),
            bytes: Vec::new(),
        };
        for rank in ranks() {
            for (partner, bytes) in affinity.partners(rank) {
                weights.partner.push(partner.0);
                weights.bytes.push((bytes >> shift).max(1) as i64);
            }
            weights.first.push(weights.partner.len() as u32);
        }
        weights
    }

    /// A graph by its edges, each given from both ends, ascending by `(from, to)`; weights are positive.
    pub(crate) fn of_edges(vertices: usize, edges: impl Iterator<Item = (u32, u32, i64)>) -> Self {
        let mut graph = Self {
            first: vec![0; vertices + 1],
            partner: Vec::new(),
            bytes: Vec::new(),
        };
        for (from, to, weight) in edges {
            graph.first[from as usize + 1] += 1;
            graph.partner.push(to);
            graph.bytes.push(weight);
        }
        for vertex in 0..vertices {
            graph.first[vertex + 1] += graph.first[vertex];
        }
        graph
    }

    /// What groups of vertices send each other; `group_of` names the group of every vertex.
    pub(crate) fn between(&self, group_of: &[u32], groups: usize) -> Self {
        let mut members = vec![Vec::new(); groups];
        for (vertex, &group) in (0..).zip(group_of) {
            members[group as usize].push(vertex);
        }
        let mut between = Self {
            first: vec![0],
            partner: Vec::new(),
            bytes: Vec::new(),
        };
        let mut sums = vec![0i64; groups];
        for (group, members) in (0..).zip(&members) {
            let mut met = Vec::new();
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
            for other in met {
                between.partner.push(other);
                between
                    .bytes
                    .push(std::mem::take(&mut sums[other as usize]));
            }
            between.first.push(between.partner.len() as u32);
        }
        between
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of edges, each counted from both ends.
    pub(crate) fn edges(&self) -> usize {
        self.partner.len()
    }

    pub(crate) fn degree(&self, vertex: u32) -> usize {
        (self.first[vertex as usize + 1] - self.first[vertex as usize]) as usize
    }

    /// Partners of a vertex with the bytes of both directions.
    #[inline]
    pub(crate) fn partners(&self, vertex: u32) -> impl Iterator<Item = (u32, i64)> + '_ {
        let range = self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize;
        let ends = self.partner[range.clone()].iter();
        ends.copied().zip(self.bytes[range].iter().copied())
    }

    /// The partner a vertex lists at `place`.
    pub(crate) fn partner(&self, vertex: u32, place: usize) -> u32 {
        self.partner[self.first[vertex as usize] as usize + place]
    }
}
