//! The least loaded of the shortest paths between two vertices.

use rankfold_machine::{Edge, Wiring};
use std::collections::VecDeque;

/// Most entries of cached hop tables, 512 MiB. Chosen by hand; not measured.
const MAX_CACHED: usize = 1 << 28;
const UNSEEN: u16 = u16::MAX;

pub(super) struct Router {
    pub(super) wiring: Wiring,
    /// Bytes over every edge.
    pub(super) bytes: Vec<f64>,
    /// Edges of the last route, from its end to its start.
    pub(super) path: Vec<u32>,
    /// Hops from a source to every vertex; kept only if there is room for all sources.
    cached_hops: Vec<Option<Box<[u16]>>>,
    /// Least load of a shortest path from the source, for the vertices in `slice`.
    load: Vec<f64>,
    /// The last edge of this path, and the vertex where this edge starts.
    by: Vec<Option<(u32, u32)>>,
    in_slice: Vec<bool>,
    /// The vertices on shortest paths of the last route, ordered by hops from its end.
    slice: Vec<u32>,
}

impl Router {
    pub(super) fn new(wiring: Wiring) -> Self {
        let vertices = wiring.vertices();
        Self {
            bytes: vec![0.0; wiring.edges.entries().len()],
            path: Vec::new(),
            cached_hops: vec![None; vertices],
            load: vec![0.0; vertices],
            by: vec![None; vertices],
            in_slice: vec![false; vertices],
            slice: Vec::new(),
            wiring,
        }
    }

    /// Leaves the least loaded shortest path in [`path`](Self::path). The path is empty if the
    /// vertices are not connected.
    pub(super) fn route(&mut self, from: u32, to: u32) {
        let hops = self.cached_hops[from as usize]
            .take()
            .unwrap_or_else(|| self.hops(from));
        self.path.clear();
        if hops[to as usize] != UNSEEN {
            self.fill_slice(&hops, to);
            self.load[from as usize] = 0.0;
            for place in (0..self.slice.len()).rev() {
                self.advance(&hops, self.slice[place]);
            }
            let mut at = to;
            while let Some((edge, before)) = self.by[at as usize].filter(|_| at != from) {
                self.path.push(edge);
                at = before;
            }
            for &v in &self.slice {
                self.in_slice[v as usize] = false;
                self.by[v as usize] = None;
            }
        }
        let vertices = self.wiring.vertices();
        if vertices.saturating_mul(vertices) <= MAX_CACHED {
            self.cached_hops[from as usize] = Some(hops);
        }
    }

    /// Adds bytes to every edge of the last route.
    pub(super) fn load_route(&mut self, bytes: f64) {
        for &edge in &self.path {
            self.bytes[edge as usize] += bytes;
        }
    }

    /// Hops from a vertex to all others, by breadth-first search.
    fn hops(&self, from: u32) -> Box<[u16]> {
        let mut hops = vec![UNSEEN; self.wiring.vertices()].into_boxed_slice();
        hops[from as usize] = 0;
        let mut queue = VecDeque::from([from]);
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

    /// Collects the vertices on shortest paths to `to`, starting with `to` and ending with the
    /// source. Each level is reversed, so that walking the slice backwards visits the vertices of a
    /// level in the order in which they were found.
    fn fill_slice(&mut self, hops: &[u16], to: u32) {
        self.slice.clear();
        self.slice.push(to);
        self.in_slice[to as usize] = true;
        let mut level = 0..1;
        for hops_left in (0..hops[to as usize]).rev() {
            for place in level.clone().rev() {
                // Every cable leads both ways, so each incoming edge has an outgoing one.
                for &Edge { to: u, .. } in self.wiring.leaving(self.slice[place]) {
                    if hops[u as usize] == hops_left && !self.in_slice[u as usize] {
                        self.in_slice[u as usize] = true;
                        self.slice.push(u);
                    }
                }
            }
            level = level.end..self.slice.len();
            self.slice[level.clone()].reverse();
        }
    }

    /// Updates the vertices after `v` with the path over `v`.
    fn advance(&mut self, hops: &[u16], v: u32) {
        let numbers = self.wiring.edges.range(v as usize);
        for (edge, &Edge { to, bandwidth }) in numbers.zip(self.wiring.leaving(v)) {
            let next = to as usize;
            if self.in_slice[next] && hops[next] == hops[v as usize] + 1 {
                let load = self.load[v as usize] + self.bytes[edge] / bandwidth;
                if self.by[next].is_none() || load < self.load[next] {
                    self.load[next] = load;
                    self.by[next] = Some((edge as u32, v));
                }
            }
        }
    }
}
