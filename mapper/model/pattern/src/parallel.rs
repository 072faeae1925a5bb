//! Finds the parallel dimensions of a training job: groups of ranks a fixed stride apart that send
//! round a ring, along a chain, or each to each.
//!
//! ```text
//! 2 x 4 ranks: tensor groups of 4 (stride 1), data groups of 2 (stride 4)
//!  0 -> 1 -> 2 -> 3 -> 0      rings: NCCL's allreduces of neighbouring ranks
//!  |    |    |    |           pairs 4 apart: allreduces of the gradients
//!  4 -> 5 -> 6 -> 7 -> 4
//! ```
//!
//! The partners of rank 0 propose strides and sizes; every proposal is verified on all groups, and
//! the bytes that all edges of a group have in common are taken out before the next one is tried.
//! All-to-alls come first and pairs last, because rings and pairs are parts of the others. The
//! method is the project's own. Cost: O(pairs) for each proposal.

use rankfold_graph::CommGraph;
use schemars::JsonSchema;
use std::collections::HashMap;
use std::fmt;

/// Share of the bytes that the dimensions must carry. Chosen by hand; not measured.
const EXPLAINED: f64 = 0.9;

/// Graphs with more pairs are not searched. Chosen by hand; not measured.
const MOST_PAIRS: usize = 1 << 22;

/// How the ranks of a group exchange bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GroupTraffic {
    /// Each sends to each.
    Exchange,
    /// Each sends to the next and the one before; the ends are not joined.
    Chain,
    /// Each sends to the next only; the last one sends to the first.
    Ring,
    /// Two ranks send to each other.
    Pairs,
}

/// One parallel dimension: all ranks in groups of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct ParallelDimension {
    /// How a group exchanges bytes.
    pub traffic: GroupTraffic,
    /// Ranks of a group.
    pub size: usize,
    /// Difference between neighbouring ranks of a group.
    pub stride: usize,
    /// Bytes of all groups.
    pub bytes: u128,
}

/// The parallel dimensions of a job, by ascending stride. Empty if no records of a job on GPUs tell
/// of the traffic, since other programs send round rings, too; if the dimensions do not explain
/// nearly all bytes; or if messages go both ways along every dimension.
#[must_use]
pub fn parallel_dimensions(graph: &CommGraph) -> Vec<ParallelDimension> {
    if !graph.declared().gpu_job || graph.pairs() > MOST_PAIRS {
        return Vec::new();
    }
    let mut rest = Remaining::of(graph);
    let mut dimensions = Vec::new();
    for traffic in [
        GroupTraffic::Exchange,
        GroupTraffic::Chain,
        GroupTraffic::Ring,
        GroupTraffic::Pairs,
    ] {
        for stride in rest.strides() {
            dimensions.extend(rest.take(traffic, stride));
        }
    }
    let explained: u128 = dimensions.iter().map(|dimension| dimension.bytes).sum();
    let is_explained = explained as f64 >= EXPLAINED * graph.total_bytes() as f64;
    let has_ring = dimensions.iter().any(|d| d.traffic == GroupTraffic::Ring);
    if !is_explained || !has_ring {
        return Vec::new();
    }
    dimensions.sort_by_key(|dimension| (dimension.stride, dimension.size));
    dimensions
}

/// The bytes that no dimension has explained yet, by sender and receiver.
struct Remaining {
    ranks: usize,
    bytes: HashMap<(usize, usize), u64>,
}

impl Remaining {
    fn of(graph: &CommGraph) -> Self {
        let messages = graph.messages();
        let messages = messages.filter(|message| message.bytes > 0);
        Self {
            ranks: graph.ranks(),
            bytes: messages
                .map(|m| ((m.from.index(), m.to.index()), m.bytes))
                .collect(),
        }
    }

    fn between(&self, from: usize, to: usize) -> u64 {
        self.bytes.get(&(from, to)).copied().unwrap_or(0)
    }

    /// Differences between rank 0 and the ranks it sends to, ascending.
    fn strides(&self) -> Vec<usize> {
        let from_first = self
            .bytes
            .iter()
            .filter(|((from, _), bytes)| *from == 0 && **bytes > 0);
        let mut strides: Vec<usize> = from_first.map(|((_, to), _)| *to).collect();
        strides.sort_unstable();
        strides
    }

    /// Takes out a dimension of this traffic and stride, if there is one.
    fn take(&mut self, traffic: GroupTraffic, stride: usize) -> Option<ParallelDimension> {
        let mut sizes = self.sizes(traffic, stride);
        sizes.retain(|size| self.ranks.is_multiple_of(size * stride));
        sizes
            .into_iter()
            .find_map(|size| self.take_of_size(traffic, size, stride))
    }

    fn take_of_size(
        &mut self,
        traffic: GroupTraffic,
        size: usize,
        stride: usize,
    ) -> Option<ParallelDimension> {
        let starts = (0..self.ranks).filter(|at| (at / stride).is_multiple_of(size));
        let mut taken = Vec::new();
        for start in starts {
            let edges = traffic.edges(start, size, stride);
            let bytes = edges.iter().map(|&(from, to)| self.between(from, to));
            let (least, most) = (bytes.clone().min()?, bytes.max()?);
            // Rings and chains of other dimensions may run along some edges of an all-to-all.
            let is_even = traffic == GroupTraffic::Exchange || most / 2 <= least;
            if least == 0 || !is_even {
                return None;
            }
            taken.push((edges, least));
        }
        let mut bytes = 0;
        for (edges, least) in taken {
            for edge in edges {
                if let Some(rest) = self.bytes.get_mut(&edge) {
                    *rest -= least;
                    bytes += u128::from(least);
                }
            }
        }
        Some(ParallelDimension {
            traffic,
            size,
            stride,
            bytes,
        })
    }

    /// Sizes that the group of the ranks 0, stride, 2 x stride, ... may have.
    fn sizes(&self, traffic: GroupTraffic, stride: usize) -> Vec<usize> {
        let both = |a: usize, b: usize| self.between(a, b).min(self.between(b, a));
        // Two numbers of bytes that are about the same, up to what other dimensions add.
        let alike = |a: u64, b: u64| a / 2 <= b && b / 2 <= a;
        let largest = self.ranks / stride;
        let reach = |joins: &dyn Fn(usize) -> bool| {
            let joined = (1..largest).take_while(|&at| joins(at));
            joined.count() + 1
        };
        match traffic {
            GroupTraffic::Exchange => {
                let joins = |at: usize| (0..at).all(|other| both(other * stride, at * stride) > 0);
                (3..=reach(&joins)).rev().collect()
            }
            GroupTraffic::Chain => {
                let size = reach(&|at| {
                    let (a, b) = ((at - 1) * stride, at * stride);
                    both(a, b) > 0 && alike(self.between(a, b), self.between(b, a))
                });
                let is_open = both((size - 1) * stride, 0) == 0;
                if size >= 3 && is_open {
                    vec![size]
                } else {
                    Vec::new()
                }
            }
            GroupTraffic::Ring => {
                let one_way = self.between(0, stride);
                if self.between(stride, 0) >= one_way.div_ceil(2) {
                    return Vec::new();
                }
                let size = reach(&|at| self.between((at - 1) * stride, at * stride) > 0);
                // The last rank of the ring sends to rank 0.
                let closes = |size: &usize| self.between((size - 1) * stride, 0) > 0;
                (3..=size).filter(closes).collect()
            }
            GroupTraffic::Pairs => {
                let (to, back) = (self.between(0, stride), self.between(stride, 0));
                if to > 0 && back > 0 && alike(to, back) {
                    vec![2]
                } else {
                    Vec::new()
                }
            }
        }
    }
}

impl GroupTraffic {
    /// Sender and receiver of every edge of the group that starts at a rank.
    fn edges(self, start: usize, size: usize, stride: usize) -> Vec<(usize, usize)> {
        let rank = |at: usize| start + at * stride;
        let to_next = (1..size).map(|at| (rank(at - 1), rank(at)));
        match self {
            Self::Ring => to_next.chain([(rank(size - 1), rank(0))]).collect(),
            Self::Chain | Self::Pairs => to_next.flat_map(|(a, b)| [(a, b), (b, a)]).collect(),
            Self::Exchange => {
                let pairs = (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
                let pairs = pairs.filter(|(a, b)| a != b);
                pairs.map(|(a, b)| (rank(a), rank(b))).collect()
            }
        }
    }
}

/// The dimensions in the words of training jobs. Traffic does not say what a group is for: the
/// groups of neighbouring ranks are called tensor parallel, chains pipelines, all-to-alls expert
/// parallel, and all other rings data parallel, as frameworks number ranks by default.
pub struct InWords<'a>(pub &'a [ParallelDimension]);

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, dimension) in self.0.iter().enumerate() {
            let ParallelDimension { size, stride, .. } = *dimension;
            if at > 0 {
                f.write_str(", ")?;
            }
            let is_tensor = stride == 1 && self.0.iter().any(|other| other.stride >= size);
            match dimension.traffic {
                GroupTraffic::Exchange => write!(f, "expert parallel all-to-alls of {size}")?,
                GroupTraffic::Chain => write!(f, "pipeline of {size}")?,
                GroupTraffic::Ring | GroupTraffic::Pairs if is_tensor => {
                    write!(f, "tensor parallel in groups of {size}")?;
                }
                GroupTraffic::Ring => write!(f, "data parallel rings of {size}")?,
                GroupTraffic::Pairs => write!(f, "pipeline or data parallel pairs")?,
            }
            match stride {
                1 => f.write_str(" (neighbouring ranks)")?,
                _ => write!(f, " (ranks {stride} apart)")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_base::Rank;
    use rankfold_graph::{Declared, Message};

    fn graph(ranks: usize, edges: impl IntoIterator<Item = (usize, usize, u64)>) -> CommGraph {
        let mut bytes = HashMap::<(usize, usize), u64>::new();
        for (from, to, more) in edges {
            *bytes.entry((from, to)).or_default() += more;
        }
        let messages = bytes.into_iter().map(|((from, to), bytes)| Message {
            from: Rank::at(from),
            to: Rank::at(to),
            bytes,
        });
        let of_gpus = Declared {
            gpu_job: true,
            ..Declared::default()
        };
        CommGraph::from_messages(ranks, messages)
            .unwrap()
            .with_declared(of_gpus)
    }

    /// The edges of groups of this size and stride, with `bytes` each.
    fn dimension(
        ranks: usize,
        traffic: GroupTraffic,
        size: usize,
        stride: usize,
        bytes: u64,
    ) -> Vec<(usize, usize, u64)> {
        let starts = (0..ranks).filter(|at| (at / stride).is_multiple_of(size));
        let edges = starts.flat_map(|start| traffic.edges(start, size, stride));
        edges.map(|(from, to)| (from, to, bytes)).collect()
    }

    #[test]
    fn tensor_data_and_pipeline_groups_are_named() {
        let ranks = 8 * 16 * 4;
        let edges = [
            dimension(ranks, GroupTraffic::Ring, 8, 1, 9000),
            dimension(ranks, GroupTraffic::Ring, 16, 8, 700),
            dimension(ranks, GroupTraffic::Chain, 4, 128, 50),
        ];
        let found = parallel_dimensions(&graph(ranks, edges.concat()));
        let expected = "tensor parallel in groups of 8 (neighbouring ranks), data parallel rings of 16 (ranks 8 apart), pipeline of 4 (ranks 128 apart)";
        assert_eq!(InWords(&found).to_string(), expected);
        assert_eq!(found[1].bytes, 700 * ranks as u128);
    }

    #[test]
    fn experts_and_gradients_of_the_same_ranks_are_told_apart() {
        let ranks = 16;
        let edges = [
            dimension(ranks, GroupTraffic::Exchange, 4, 1, 40),
            dimension(ranks, GroupTraffic::Ring, 16, 1, 1000),
            dimension(ranks, GroupTraffic::Ring, 4, 4, 300),
        ];
        let found = parallel_dimensions(&graph(ranks, edges.concat()));
        let kinds: Vec<_> = found
            .iter()
            .map(|d| (d.traffic, d.size, d.stride))
            .collect();
        let expected = [
            (GroupTraffic::Exchange, 4, 1),
            (GroupTraffic::Ring, 16, 1),
            (GroupTraffic::Ring, 4, 4),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn grids_and_random_traffic_are_no_training_jobs() {
        // A periodic 8 x 8 grid with messages both ways along both dimensions.
        let halos = (0..64).flat_map(|at: usize| {
            let right = at / 8 * 8 + (at + 1) % 8;
            let below = (at + 8) % 64;
            [
                (at, right, 5),
                (right, at, 5),
                (at, below, 5),
                (below, at, 5),
            ]
        });
        assert_eq!(parallel_dimensions(&graph(64, halos)), []);
        let scattered =
            (0..64).flat_map(|at: usize| [(at, (at * 7 + 3) % 64, 9), (at, (at * 5 + 1) % 64, 4)]);
        let scattered = scattered.filter(|(from, to, _)| from != to);
        assert_eq!(parallel_dimensions(&graph(64, scattered)), []);
    }

    #[test]
    fn a_ring_of_another_program_is_no_training_job() {
        let ring = graph(8, dimension(8, GroupTraffic::Ring, 8, 1, 10));
        assert_eq!(parallel_dimensions(&ring).len(), 1);
        assert_eq!(
            parallel_dimensions(&ring.with_declared(Declared::default())),
            []
        );
    }

    #[test]
    fn a_ring_with_a_gap_is_no_dimension() {
        let mut edges = dimension(32, GroupTraffic::Ring, 8, 1, 10);
        edges.pop();
        assert_eq!(parallel_dimensions(&graph(32, edges)), []);
    }
}
