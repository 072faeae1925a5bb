//! Congestion as LibTopoMap estimates it (Hoefler & Snir, "Generic topology mapping strategies for
//! large-scale parallel architectures", ICS 2011, algorithm 3).
//!
//! Messages are routed one after the other, each on the least loaded of its shortest paths so far. The paper
//! leaves their order open: here the heaviest comes first, then by ranks. It makes paths short by a high
//! initial weight of every link; comparing hops before loads does the same without its rounding.

use super::{Congestion, Loads};
use crate::comm::{CommGraph, Message};
use crate::ids::NodeId;
use crate::machine::{Edge, Topology, Wiring};
use std::cmp::Reverse;

/// Loads of the network's directed edges, parallel cables as one.
#[must_use]
pub fn estimated_loads(graph: &CommGraph, topology: &dyn Topology, nodes: &[NodeId]) -> Loads {
    Estimate::new(graph, topology).loads(nodes)
}

/// The messages of a graph on a network, for estimates of one placement after the other.
pub struct Estimate {
    /// Heaviest first.
    messages: Vec<Message>,
    router: Router,
}

impl Estimate {
    /// Nothing is routed yet.
    #[must_use]
    pub fn new(graph: &CommGraph, topology: &dyn Topology) -> Self {
        let mut messages: Vec<Message> = graph.messages().collect();
        messages.sort_by_key(|m| (Reverse(m.bytes), m.from, m.to));
        Self {
            messages,
            router: Router::new(topology.wiring()),
        }
    }

    /// Loads of the network's directed edges with every rank on its node.
    #[must_use]
    pub fn loads(&mut self, nodes: &[NodeId]) -> Loads {
        self.router.bytes.fill(0.0);
        for m in &self.messages {
            let [from, to] = [m.from, m.to].map(|rank| nodes[rank.index()]);
            if from != to {
                self.router.send(from.0, to.0, m.bytes as f64);
            }
        }
        Loads {
            bandwidths: self.router.wiring.bandwidths(),
            bytes: self.router.bytes.clone(),
        }
    }

    /// The highest bytes over bandwidth of any of them.
    #[must_use]
    pub fn congestion(&mut self, nodes: &[NodeId]) -> f64 {
        Congestion::of(&self.loads(nodes)).max
    }
}

/// Tables of hops from sources are kept up to this many entries.
const MOST_KEPT: usize = 1 << 28;
const UNSEEN: u16 = u16::MAX;

struct Router {
    wiring: Wiring,
    bytes: Vec<f64>,
    /// Hops from a source to every vertex, if there is room for all.
    kept: Vec<Option<Box<[u16]>>>,
    /// Least load on a shortest path from the source, of the vertices in the slice.
    load: Vec<f64>,
    /// The edge such a path comes by, and where that edge starts.
    by: Vec<Option<(usize, u32)>>,
    in_slice: Vec<bool>,
}

impl Router {
    fn new(wiring: Wiring) -> Self {
        let vertices = wiring.vertices();
        Self {
            bytes: vec![0.0; wiring.edges.entries().len()],
            kept: vec![None; vertices],
            load: vec![0.0; vertices],
            by: vec![None; vertices],
            in_slice: vec![false; vertices],
            wiring,
        }
    }

    fn send(&mut self, from: u32, to: u32, bytes: f64) {
        let hops = self.kept[from as usize]
            .take()
            .unwrap_or_else(|| self.hops(from));
        let slice = self.slice(&hops, to);
        self.load[from as usize] = 0.0;
        for vertices in slice.iter().rev() {
            for &v in vertices {
                self.advance(&hops, v);
            }
        }
        let mut at = to;
        while let Some((edge, before)) = self.by[at as usize].filter(|_| at != from) {
            self.bytes[edge] += bytes;
            at = before;
        }
        for v in slice.into_iter().flatten() {
            self.in_slice[v as usize] = false;
            self.by[v as usize] = None;
        }
        let vertices = self.wiring.vertices();
        if vertices.saturating_mul(vertices) <= MOST_KEPT {
            self.kept[from as usize] = Some(hops);
        }
    }

    /// Breadth-first search.
    fn hops(&self, from: u32) -> Box<[u16]> {
        let mut hops = vec![UNSEEN; self.wiring.vertices()].into_boxed_slice();
        hops[from as usize] = 0;
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(u) = queue.pop_front() {
            for &Edge { to: v, .. } in self.wiring.leaving(u) {
                if hops[v as usize] == UNSEEN {
                    hops[v as usize] = hops[u as usize] + 1;
                    queue.push_back(v);
                }
            }
        }
        hops
    }

    /// The vertices on shortest paths to `to`, by hops from there.
    fn slice(&mut self, hops: &[u16], to: u32) -> Vec<Vec<u32>> {
        let mut slice = vec![vec![to]];
        self.in_slice[to as usize] = true;
        for hops_left in (0..hops[to as usize]).rev() {
            let mut next = Vec::new();
            for &v in &slice[slice.len() - 1] {
                // Cables lead both ways, so those that come in go out, too.
                for &Edge { to: u, .. } in self.wiring.leaving(v) {
                    if hops[u as usize] == hops_left && !self.in_slice[u as usize] {
                        self.in_slice[u as usize] = true;
                        next.push(u);
                    }
                }
            }
            slice.push(next);
        }
        slice
    }

    /// Offers the way over `v` to the vertices after it.
    fn advance(&mut self, hops: &[u16], v: u32) {
        let numbers = self.wiring.edges.range(v as usize);
        for (edge, &Edge { to, bandwidth }) in numbers.zip(self.wiring.leaving(v)) {
            let next = to as usize;
            if self.in_slice[next] && hops[next] == hops[v as usize] + 1 {
                let load = self.load[v as usize] + self.bytes[edge] / bandwidth;
                if self.by[next].is_none() || load < self.load[next] {
                    self.load[next] = load;
                    self.by[next] = Some((edge, v));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Rank;
    use crate::machine::parse;

    fn estimate(spec: &str, nodes: &[u32], messages: &[(u32, u32, u64)]) -> Congestion {
        let messages = messages.iter().map(|&(from, to, bytes)| Message {
            from: Rank(from),
            to: Rank(to),
            bytes,
        });
        let graph = CommGraph::from_messages(nodes.len(), messages).unwrap();
        let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
        Congestion::of(&estimated_loads(&graph, &*parse(spec).unwrap(), &nodes))
    }

    #[test]
    fn two_messages_between_the_same_nodes_go_both_ways_round() {
        let congestion = estimate("torus:4", &[0, 0, 2], &[(0, 2, 8), (1, 2, 8)]);
        assert_eq!((congestion.max, congestion.used_channels), (8.0, 4));
    }

    #[test]
    fn lighter_messages_meet_the_heaviest_where_they_have_no_choice() {
        // 0 -> 3 takes one of two ways; either of the others loads a link of each.
        let messages = [(0, 3, 10), (0, 2, 4), (1, 3, 6)];
        let congestion = estimate("mesh:2x2", &[0, 1, 2, 3], &messages);
        assert!([14.0, 16.0].contains(&congestion.max), "{congestion:?}");
    }

    #[test]
    fn an_estimate_forgets_the_placement_before() {
        let graph = crate::samples::star_stencil(&[4, 3], false);
        let torus = parse("torus:4x3").unwrap();
        let nodes: Vec<NodeId> = (0..12).map(NodeId).collect();
        let scattered: Vec<NodeId> = (0..12).map(|r| NodeId(r * 5 % 12)).collect();
        let mut estimate = Estimate::new(&graph, &*torus);
        let first = estimate.loads(&nodes).bytes;
        assert_ne!(estimate.loads(&scattered).bytes, first);
        assert_eq!(estimate.loads(&nodes).bytes, first);
    }

    #[test]
    fn hops_go_before_loads() {
        // The direct link is used again although the way round is free.
        let congestion = estimate("torus:4", &[0, 0, 1], &[(0, 2, 8), (1, 2, 8)]);
        assert_eq!((congestion.max, congestion.used_channels), (16.0, 1));
    }

    #[test]
    fn the_papers_example_has_congestion_1_where_it_says_so() {
        // Figure 1: a graph of three edges on a cube; (101, 111, 000, 100) is optimal.
        let edges = [(0, 1, 1), (0, 3, 1), (2, 3, 1)];
        let optimal = estimate("hypercube:3", &[0b101, 0b111, 0b000, 0b100], &edges);
        assert_eq!((optimal.max, optimal.used_channels), (1.0, 3));
    }

    #[test]
    fn loads_add_up_to_hop_bytes() {
        let messages: Vec<_> = (0..12)
            .map(|r| (r, (r * 5 + 1) % 12, 3 + u64::from(r)))
            .collect();
        let nodes: Vec<u32> = (0..12).collect();
        for spec in ["torus:4x3", "mesh:2x6", "xgft:3,4:1,2", "dragonfly:2,2,1,3"] {
            let topology = parse(spec).unwrap();
            let hop_bytes: u64 = messages
                .iter()
                .map(|&(a, b, bytes)| bytes * u64::from(topology.hops(NodeId(a), NodeId(b))))
                .sum();
            let all = estimate(spec, &nodes, &messages);
            let sum = all.nz_avg * all.used_channels as f64;
            assert!(
                (sum - hop_bytes as f64).abs() < 1e-9,
                "{spec}: {sum}, {hop_bytes}"
            );
        }
    }
}
