//! The links of the machine with the traffic routed so far, and breadth-first searches over them.

use rankfold_base::Csr;
use rankfold_machine::{Edge, Wiring};

/// Nodes and switches with their directed links, as compressed adjacency lists.
pub(super) struct LinkGraph {
    links: Csr<Edge>,
}

impl LinkGraph {
    pub(super) fn new(wiring: &Wiring) -> Self {
        Self {
            links: wiring.edges.clone(),
        }
    }

    fn links(&self, vertex: u32) -> std::ops::Range<usize> {
        self.links.range(vertex as usize)
    }
}

/// The load of every link, and scratch space for searches.
///
/// Paths are compared by their number of hops, then by the load on them, the message that the path
/// is for included: a wide link takes less time for it than a narrow one. LibTopoMap's paper gives
/// every link a large start weight instead of counting hops; both agree until rounding or heavy
/// traffic outweighs the start weight.
pub(super) struct LoadedLinks<'a> {
    network: &'a LinkGraph,
    load: Vec<f64>,
    search: u32,
    reached: Vec<Reached>,
    front: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Reached {
    search: u32,
    hops: u32,
    load: f64,
    /// The last link of the best path, and the vertex it leaves from.
    link: usize,
    from: u32,
}

impl<'a> LoadedLinks<'a> {
    pub(super) fn new(network: &'a LinkGraph) -> Self {
        Self {
            network,
            load: vec![0.0; network.links.entries().len()],
            search: 0,
            reached: vec![Reached::default(); network.links.rows()],
            front: Vec::new(),
        }
    }

    /// The wanted vertex closest to `start`: fewest hops, then least load on the path after `bytes`
    /// more, then lowest `tie`.
    pub(super) fn closest(
        &mut self,
        start: u32,
        bytes: f64,
        wanted: impl Fn(u32) -> bool,
        tie: impl Fn(u32) -> u32,
    ) -> Option<u32> {
        self.begin(start);
        while !self.front.is_empty() {
            let best = self
                .front
                .iter()
                .copied()
                .filter(|&v| wanted(v))
                .min_by(|&a, &b| {
                    let load = |v: u32| self.reached[v as usize].load;
                    load(a)
                        .total_cmp(&load(b))
                        .then_with(|| (tie(a), a).cmp(&(tie(b), b)))
                });
            if best.is_some() {
                return best;
            }
            self.widen(bytes);
        }
        None
    }

    /// Routes `bytes` on the least loaded of the shortest paths between two vertices.
    pub(super) fn send(&mut self, from: u32, to: u32, bytes: f64) {
        if self.closest(from, bytes, |v| v == to, |_| 0).is_none() {
            return;
        }
        let mut at = to;
        while at != from {
            let Reached { link, from, .. } = self.reached[at as usize];
            self.load[link] += bytes / self.network.links.entries()[link].bandwidth;
            at = from;
        }
    }

    fn begin(&mut self, start: u32) {
        self.search += 1;
        self.reached[start as usize] = Reached {
            search: self.search,
            ..Reached::default()
        };
        self.front.clear();
        self.front.push(start);
    }

    /// Replaces the front by the vertices one hop farther away, each with its least loaded path.
    fn widen(&mut self, bytes: f64) {
        let mut next = Vec::new();
        for &from in &self.front {
            let here = self.reached[from as usize];
            for link in self.network.links(from) {
                let Edge { to, bandwidth } = self.network.links.entries()[link];
                let load = here.load + self.load[link] + bytes / bandwidth;
                let known = &mut self.reached[to as usize];
                let new = known.search != self.search;
                if new || (known.hops == here.hops + 1 && load < known.load) {
                    *known = Reached {
                        search: self.search,
                        hops: here.hops + 1,
                        load,
                        link,
                        from,
                    };
                }
                if new {
                    next.push(to);
                }
            }
        }
        self.front = next;
    }
}
