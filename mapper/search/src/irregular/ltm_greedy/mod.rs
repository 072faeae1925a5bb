//! `ltm-greedy`: greedy graph embedding of LibTopoMap (Hoefler and Snir, ICS 2011, Algorithm 1).
//!
//! Starting with the rank that exchanges the most bytes, the heaviest edge from a mapped to an
//! unmapped rank is taken next. Its unmapped rank goes to the current node or, if that is full, to
//! the closest node with a free slot. The traffic of the edge is then routed on the least loaded
//! shortest path, so that later searches for the closest node avoid loaded links. Several start
//! nodes are tried, and the result with the lowest congestion by the paper's own estimate
//! (Algorithm 3) is kept. As in figure 4 of the paper, the processes of a team divide the start
//! nodes.
//!
//! The paper leaves some points open. Here a rank that is mapped already is skipped when an edge to
//! it is taken. A new start, like any full node, moves on to the closest free node. Among equally
//! heavy edges the one found last comes first. Among nodes at the same number of hops, the one
//! whose links are least loaded with the new edge's traffic comes first, so that wide links are
//! preferred; then the one closer to the partner, then the lower index. Weights are the bytes of
//! both directions. The paper's constant that "forces minimal edge count" is replaced by a
//! comparison of hops first, then load. Where nodes have several slots, groups of ranks as large as
//! a node are mapped (section 3.4).
//!
//! Cost: O(m log m + n L) for each start, with n ranks, m pairs and L links of the machine.

use super::bundles::bundled;
use super::network::{LinkGraph, LoadedLinks};
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_graph::Affinity;
use rankfold_machine::Distances;
use rankfold_metric::{Estimate, hop_bytes_over};
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_problem::team::dealt;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Start nodes tried. The paper starts at one node for every process of the job; this limit was
/// chosen by hand.
const STARTS: usize = 16;

/// Pairs of ranks embedded over all starts together: dense graphs get fewer starts, at least one.
/// Chosen by hand to bound the time; not measured.
const PAIRS: usize = 1 << 21;

/// Most ranks for which `ltm-greedy` takes part without being asked for by name. With more ranks,
/// estimating the congestion of all starts took up to 40 % of the processor time of effort
/// balanced, and no placement of `ltm-greedy` won. Eight graphs of 256 to 1728 ranks on tori were
/// measured: its placements had 1.3 to 2.6 times the hop-bytes and 1.6 to 3 times the predicted
/// time of the best placement.
const AFFORDABLE_RANKS: usize = 128;

/// The heuristic `ltm-greedy`.
#[derive(Debug)]
pub struct LtmGreedy;

impl Heuristic for LtmGreedy {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ltm-greedy",
            Family::Irregular,
            "heaviest edge first onto the closest free node (LibTopoMap, Hoefler and Snir 2011, Algorithm 1)",
        )
        .up_to(AFFORDABLE_RANKS)
        .on(|machine| !machine.is_switched())
        .at_least(Effort::Balanced)
        .by_all_processes();
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        bundled(problem, place)
    }
}

fn place(problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
    let network = LinkGraph::new(&problem.machine.topology().wiring());
    let distances = problem.machine.topology().distances();
    let starts = starts(problem);
    let embedded = dealt(problem.team, starts.len(), |number| {
        let nodes = Embedding::new(problem, &network, &distances, starts[number]).run();
        let (congestion, hop_bytes) = quality(problem, &distances, &nodes);
        (congestion, hop_bytes, nodes)
    });
    let (congestion, start, placement) = starts
        .iter()
        .zip(embedded)
        .min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .and_then(|(start, (congestion, _, nodes))| {
            let placement = Placement::from_nodes(&nodes, problem.machine.slots())?;
            Some((congestion, start, placement))
        })
        .ok_or_else(|| NotApplicable("the machine has no usable node".into()))?;
    let note = format!(
        "node {start} of {} starts, estimated congestion {congestion}",
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

/// Up to [`STARTS`] usable nodes, evenly spread over their list; fewer where [`PAIRS`] allows
/// fewer.
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

/// The estimated congestion of a mapping (Algorithm 3), and its hop-bytes.
fn quality(problem: &Problem<'_>, distances: &Distances, nodes: &[NodeId]) -> (f64, u128) {
    let mut estimate = Estimate::new(problem.graph, problem.machine.topology());
    let hop_bytes = hop_bytes_over(problem.graph, distances, nodes);
    (estimate.congestion(nodes), hop_bytes)
}

/// One run of Algorithm 1 from one start node.
pub(super) struct Embedding<'a> {
    affinity: &'a Affinity,
    distances: &'a Distances,
    network: LoadedLinks<'a>,
    free: Vec<u32>,
    node_of: Vec<Option<NodeId>>,
    /// Edges from mapped to unmapped ranks: bytes, number in the order found, mapped rank, unmapped
    /// rank.
    edges: BinaryHeap<(u64, u64, Rank, Rank)>,
    found: u64,
    /// The node that is filled now.
    at: NodeId,
}

impl<'a> Embedding<'a> {
    pub(super) fn new(
        problem: &Problem<'a>,
        network: &'a LinkGraph,
        distances: &'a Distances,
        start: NodeId,
    ) -> Self {
        let slots = problem.machine.slots();
        Self {
            affinity: problem.affinity,
            distances,
            network: LoadedLinks::new(network),
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
            self.seat(rank, None, 0);
            while let Some((bytes, _, mapped, rank)) = self.edges.pop() {
                if self.node_of[rank.index()].is_none() {
                    let partner = self.seat(rank, Some(mapped), bytes);
                    self.network.send(partner.0, self.at.0, bytes as f64);
                }
            }
        }
        self.node_of.into_iter().flatten().collect()
    }

    /// Maps `rank` to the current node or, if that is full, to the closest free node. Returns the
    /// node of `partner`, or the current node before the move if there is none. `bytes` are
    /// exchanged with the partner.
    fn seat(&mut self, rank: Rank, partner: Option<Rank>, bytes: u64) -> NodeId {
        let near = partner
            .and_then(|p| self.node_of[p.index()])
            .unwrap_or(self.at);
        if self.free[self.at.index()] == 0 {
            self.at = self.closest_free(near, bytes);
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

    fn closest_free(&mut self, near: NodeId, bytes: u64) -> NodeId {
        let (free, distances) = (&self.free, self.distances);
        self.network
            .closest(
                self.at.0,
                bytes as f64,
                |v| free.get(v as usize).is_some_and(|&f| f > 0),
                |v| distances.hops(near, NodeId(v)),
            )
            .map(NodeId)
            .expect("networks are connected and the ranks fit")
    }
}

/// The ranks sorted by the bytes they exchange, most first.
fn heaviest_first(affinity: &Affinity) -> Vec<Rank> {
    let bytes = |rank: Rank| -> u128 { affinity.partners(rank).map(|(_, b)| u128::from(b)).sum() };
    let mut ranks: Vec<Rank> = (0..affinity.ranks()).map(Rank::at).collect();
    ranks.sort_by_cached_key(|&rank| Reverse(bytes(rank)));
    ranks
}

#[cfg(test)]
mod tests;
