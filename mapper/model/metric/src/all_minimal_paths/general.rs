//! All minimal paths on any network, by breadth-first search from every source.
//!
//! A vertex with a single cable, such as a host below its switch, has no choice of paths. Its bytes
//! enter and leave the network at the other end of the cable, which is called its anchor here. All
//! hosts of one switch then count as one source.

use super::super::ChannelLoads;
use super::{by_source, in_pieces};
use rankfold_base::NodeId;
use rankfold_machine::{Edge, Flow, Wiring};

/// Path counts of a level are scaled down once they exceed this number; only their ratios matter.
/// Sums over a level then stay far below the largest `f64` (1.8e308).
const LARGE: f64 = 1e150;

pub(super) fn loads(wiring: &Wiring, flows: &[Flow]) -> ChannelLoads {
    let anchors = anchors(wiring);
    let between = between(&anchors, flows);
    let sources: Vec<&[Flow]> = by_source(&between).collect();
    let mut bytes = in_pieces(&sources, wiring.edges.entries().len(), |sources, bytes| {
        let mut paths = ShortestPaths::new(wiring);
        for flows in sources {
            paths.run(flows);
            paths.push_back(flows, bytes);
        }
    });
    for flow in flows {
        let (from, to) = (flow.from.index(), flow.to.index());
        if anchors[from] != from {
            bytes[edge(wiring, from, anchors[from])] += flow.bytes as f64;
        }
        if anchors[to] != to {
            bytes[edge(wiring, anchors[to], to)] += flow.bytes as f64;
        }
    }
    ChannelLoads {
        bytes,
        bandwidths: wiring.bandwidths(),
    }
}

/// The anchor of every vertex. A vertex with several cables is its own anchor, and so are two
/// vertices that are joined by their only cable.
fn anchors(wiring: &Wiring) -> Vec<usize> {
    let only = |v: usize| match wiring.edges.row(v) {
        [edge] => Some(edge.to as usize),
        _ => None,
    };
    let far = |v: usize| only(v).filter(|&far| only(far).is_none());
    (0..wiring.vertices())
        .map(|v| far(v).unwrap_or(v))
        .collect()
}

/// The flows between anchors, ordered by sender; flows between the same two anchors are added up.
/// The ends are numbers of vertices (nodes have the lowest numbers).
fn between(anchors: &[usize], flows: &[Flow]) -> Vec<Flow> {
    let anchor = |node: NodeId| NodeId::at(anchors[node.index()]);
    let ends = flows
        .iter()
        .map(|f| (anchor(f.from), anchor(f.to), f.bytes));
    let mut apart: Vec<_> = ends.filter(|(from, to, _)| from != to).collect();
    apart.sort_unstable();
    let same = apart.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    same.map(|flows| Flow {
        from: flows[0].0,
        to: flows[0].1,
        bytes: flows.iter().map(|f| f.2).sum(),
    })
    .collect()
}

/// The edge from `u` to `v`. It always exists, since links are cabled in both directions.
fn edge(wiring: &Wiring, u: usize, v: usize) -> usize {
    let place = wiring.edges.row(u).partition_point(|e| e.to < v as u32);
    wiring.edges.range(u).start + place
}

const UNSEEN: u32 = u32::MAX;

/// Shortest paths from one source at a time. The buffers are reused for the next source.
struct ShortestPaths<'a> {
    wiring: &'a Wiring,
    level: Vec<u32>,
    /// Vertices reached, ordered by level.
    order: Vec<u32>,
    /// Start of every level in `order`, followed by the end of the last level.
    starts: Vec<usize>,
    /// Number of shortest paths to every vertex: the sum over the level before, in the scale of
    /// that level.
    arriving: Vec<f64>,
    /// Number of shortest paths to every vertex, in the scale of the vertex' own level.
    paths: Vec<f64>,
    /// Bytes that end at every vertex or pass through it.
    mass: Vec<f64>,
}

impl<'a> ShortestPaths<'a> {
    fn new(wiring: &'a Wiring) -> Self {
        Self {
            wiring,
            level: vec![UNSEEN; wiring.vertices()],
            order: Vec::new(),
            starts: Vec::new(),
            arriving: vec![0.0; wiring.vertices()],
            paths: vec![0.0; wiring.vertices()],
            mass: vec![0.0; wiring.vertices()],
        }
    }

    /// Computes levels and path counts up to the level of the farthest destination.
    fn run(&mut self, flows: &[Flow]) {
        self.forget();
        let source = flows[0].from.0;
        self.level[source as usize] = 0;
        self.paths[source as usize] = 1.0;
        self.order.push(source);
        self.starts.extend([0, 1]);
        for depth in 0.. {
            if flows.iter().all(|f| self.level[f.to.index()] != UNSEEN) {
                break;
            }
            self.expand(depth);
            let [.., start, end] = self.starts[..] else {
                unreachable!("there are two entries from the start")
            };
            if start == end {
                break; // a disconnected destination: its bytes go nowhere
            }
            self.rescale(start..end);
        }
    }

    fn forget(&mut self) {
        for &v in &self.order {
            let v = v as usize;
            self.level[v] = UNSEEN;
            (self.arriving[v], self.paths[v], self.mass[v]) = (0.0, 0.0, 0.0);
        }
        self.order.clear();
        self.starts.clear();
    }

    /// Adds the vertices of the level after `depth`.
    fn expand(&mut self, depth: u32) {
        let level = self.starts[depth as usize]..self.starts[depth as usize + 1];
        for i in level {
            let u = self.order[i] as usize;
            for &Edge { to: v, .. } in self.wiring.edges.row(u) {
                if self.level[v as usize] == UNSEEN {
                    self.level[v as usize] = depth + 1;
                    self.order.push(v);
                }
                if self.level[v as usize] == depth + 1 {
                    self.arriving[v as usize] += self.paths[u];
                }
            }
        }
        self.starts.push(self.order.len());
    }

    fn rescale(&mut self, level: std::ops::Range<usize>) {
        let vertices = &self.order[level];
        let most = vertices
            .iter()
            .map(|&v| self.arriving[v as usize])
            .fold(0.0, f64::max);
        let scale = if most > LARGE { most.recip() } else { 1.0 };
        for &v in vertices {
            // A count far below the largest of its level stays positive, so that no share becomes
            // 0/0.
            self.paths[v as usize] = (self.arriving[v as usize] * scale).max(f64::MIN_POSITIVE);
        }
    }

    /// Moves the bytes of every flow from its destination back towards the source.
    fn push_back(&mut self, flows: &[Flow], bytes: &mut [f64]) {
        for flow in flows {
            self.mass[flow.to.index()] += flow.bytes as f64;
        }
        for i in (0..self.order.len()).rev() {
            let v = self.order[i] as usize;
            if self.mass[v] == 0.0 || self.level[v] == 0 {
                continue;
            }
            for &Edge { to: u, .. } in self.wiring.edges.row(v) {
                let u = u as usize;
                if self.level[u] != UNSEEN && self.level[u] + 1 == self.level[v] {
                    let share = self.mass[v] * (self.paths[u] / self.arriving[v]);
                    self.mass[u] += share;
                    bytes[edge(self.wiring, u, v)] += share;
                }
            }
        }
    }
}
