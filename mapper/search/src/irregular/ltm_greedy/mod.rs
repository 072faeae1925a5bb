//! Greedy graph embedding of LibTopoMap (Hoefler and Snir, ICS 2011, Algorithm 1).
//!
//! The paper leaves open, and we settle: ranks already mapped are skipped when popped; a fresh
//! start, like any full node, moves on to the closest free node; the constant that "forces minimal
//! edge count" is a lexicographic comparison (hops, then load). Equally heavy edges: the latest
//! found first. Equally close nodes: the one nearer the partner, then the lower index. Weights are
//! the bytes of both directions. On nodes of several cores, groups of ranks as large as a node are
//! mapped (section 3.4).

use super::bundles::bundled;
use super::network::{Loaded, Network};
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_model::comm::Affinity;
use rankfold_model::ids::{NodeId, Rank};
use rankfold_model::machine::Distances;
use rankfold_model::metric::{Congestion, flows, hop_bytes_over, routed_loads};
use rankfold_model::placement::Placement;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Start nodes tried; the paper starts one on every process of the job.
const STARTS: usize = 16;

/// Pairs of ranks embedded over all starts: dense graphs get fewer of them, at least one.
const PAIRS: usize = 1 << 21;

/// Ranks beyond which the searches for the closest free node take as long as the best heuristic
/// with all its refinements, and leave far more hop-bytes.
const AFFORDABLE_RANKS: usize = 2048;

/// Algorithm 1 from several start nodes; the result with the lowest congestion is kept.
#[derive(Debug)]
pub(crate) struct LtmGreedy;

impl Heuristic for LtmGreedy {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ltm-greedy",
            Family::Irregular,
            "heaviest edge first onto the closest free node (LibTopoMap, Hoefler and Snir 2011, Algorithm 1)",
        )
        .up_to(AFFORDABLE_RANKS)
        .on(|machine| !machine.is_switched())
        .at_least(Effort::Balanced);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        bundled(problem, place)
    }
}

fn place(problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
    let network = Network::new(&problem.machine.topology().wiring());
    let distances = problem.machine.topology().distances();
    let starts = starts(problem);
    let (congestion, _, start, placement) = starts
        .par_iter()
        .map(|&start| {
            let nodes = Embedding::new(problem, &network, &distances, start).run();
            let (congestion, hop_bytes) = quality(problem, &distances, &nodes);
            (congestion, hop_bytes, start, nodes)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))))
        .and_then(|(congestion, hop_bytes, start, nodes)| {
            let placement = Placement::from_nodes(&nodes, problem.machine.slots())?;
            Some((congestion, hop_bytes, start, placement))
        })
        .ok_or_else(|| NotApplicable("the machine has no usable node".into()))?;
    let note = format!(
        "node {start} of {} starts, max congestion {congestion}",
        starts.len()
    );
    Ok(Placed {
        placement,
        diagnostics: Diagnostics {
            passes: starts.len() as u32,
            notes: vec![note],
            ..Diagnostics::default()
        },
    })
}

/// Up to [`STARTS`] usable nodes, evenly spread over their list; fewer if [`PAIRS`] are soon
/// reached.
fn starts(problem: &Problem<'_>) -> Vec<NodeId> {
    let slots = problem.machine.slots();
    let usable: Vec<NodeId> = (0..slots.nodes())
        .map(NodeId::at)
        .filter(|&n| slots.capacity(n) > 0)
        .collect();
    let affordable = (PAIRS / problem.graph.pairs().max(1)).max(1);
    let starts = STARTS.min(affordable).min(usable.len());
    (0..starts)
        .map(|i| usable[i * usable.len() / starts])
        .collect()
}

fn quality(problem: &Problem<'_>, distances: &Distances, nodes: &[NodeId]) -> (f64, u128) {
    let loads = routed_loads(problem.machine.topology(), &flows(problem.graph, nodes));
    let hop_bytes = hop_bytes_over(problem.graph, distances, nodes);
    (Congestion::of(&loads).max, hop_bytes)
}

/// One run of Algorithm 1.
pub(super) struct Embedding<'a> {
    affinity: &'a Affinity,
    distances: &'a Distances,
    network: Loaded<'a>,
    free: Vec<u32>,
    node_of: Vec<Option<NodeId>>,
    /// Edges from mapped ranks to unmapped ones: bytes, order of discovery, mapped rank, unmapped
    /// rank.
    edges: BinaryHeap<(u64, u64, Rank, Rank)>,
    found: u64,
    /// The node filled at present.
    at: NodeId,
}

impl<'a> Embedding<'a> {
    pub(super) fn new(
        problem: &Problem<'a>,
        network: &'a Network,
        distances: &'a Distances,
        start: NodeId,
    ) -> Self {
        let slots = problem.machine.slots();
        Self {
            affinity: problem.affinity,
            distances,
            network: Loaded::new(network),
            free: (0..slots.nodes())
                .map(|n| slots.capacity(NodeId::at(n)))
                .collect(),
            node_of: vec![None; problem.affinity.ranks()],
            edges: BinaryHeap::new(),
            found: 0,
            at: start,
        }
    }

    /// The node of every rank.
    pub(super) fn run(mut self) -> Vec<NodeId> {
        for rank in heaviest_first(self.affinity) {
            if self.node_of[rank.index()].is_some() {
                continue;
            }
            self.seat(rank, None);
            while let Some((bytes, _, mapped, rank)) = self.edges.pop() {
                if self.node_of[rank.index()].is_none() {
                    let partner = self.seat(rank, Some(mapped));
                    self.network.send(partner.0, self.at.0, bytes as f64);
                }
            }
        }
        self.node_of.into_iter().flatten().collect()
    }

    /// Maps `rank` to the present node or, if that is full, to the closest free one; returns the
    /// partner's node.
    fn seat(&mut self, rank: Rank, partner: Option<Rank>) -> NodeId {
        let near = partner
            .and_then(|p| self.node_of[p.index()])
            .unwrap_or(self.at);
        if self.free[self.at.index()] == 0 {
            self.at = self.closest_free(near);
        }
        self.free[self.at.index()] -= 1;
        self.node_of[rank.index()] = Some(self.at);
        for (other, bytes) in self.affinity.partners(rank) {
            if self.node_of[other.index()].is_none() {
                self.edges.push((bytes, self.found, rank, other));
                self.found += 1;
            }
        }
        near
    }

    fn closest_free(&mut self, near: NodeId) -> NodeId {
        let (free, distances) = (&self.free, self.distances);
        self.network
            .closest(
                self.at.0,
                |v| free.get(v as usize).is_some_and(|&f| f > 0),
                |v| distances.hops(near, NodeId(v)),
            )
            .map(NodeId)
            .expect("networks are connected and the ranks fit")
    }
}

/// Ranks by the bytes they exchange, most first.
fn heaviest_first(affinity: &Affinity) -> Vec<Rank> {
    let bytes = |rank: Rank| -> u128 { affinity.partners(rank).map(|(_, b)| u128::from(b)).sum() };
    let mut ranks: Vec<Rank> = (0..affinity.ranks()).map(Rank::at).collect();
    ranks.sort_by_cached_key(|&rank| Reverse(bytes(rank)));
    ranks
}

#[cfg(test)]
mod tests;
