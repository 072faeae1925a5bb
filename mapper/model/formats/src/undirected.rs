//! Undirected edges with one weight, shared by the formats of graph partitioners.
//!
//! The weight of edge {u, v} is the sum of both directions, a(u, v) = w(u, v) + w(v, u), which is
//! what hop-bytes depend on. The split between the directions is lost, and so are message counts
//! and what ranks send to themselves. When an edge is read, half of its weight goes each way, the
//! odd byte from the lower rank to the higher. An edge that is read and written again keeps its
//! weight.

use super::Keeps;
use rankfold_base::Rank;
use rankfold_graph::{Affinity, Builder, CommError, Entry, Traffic, WriteError};
use std::path::Path;

/// What these formats can hold.
pub(super) const KEEPS: Keeps = Keeps {
    direction: false,
    itself: false,
    messages: false,
};

/// A neighbour in the list of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arc {
    from: u32,
    to: u32,
    weight: u64,
    line: usize,
}

/// The neighbour lists of a file, collected one by one.
pub(super) struct Lists {
    vertices: usize,
    arcs: Vec<Arc>,
}

impl Lists {
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            vertices,
            arcs: Vec::new(),
        }
    }

    /// Adds a neighbour found in line `line`.
    pub(super) fn push(
        &mut self,
        from: usize,
        to: u64,
        weight: u64,
        line: usize,
    ) -> Result<(), String> {
        if to >= self.vertices as u64 {
            return Err(format!(
                "a neighbour is beyond the {} vertices",
                self.vertices
            ));
        }
        if to == from as u64 {
            return Err("a vertex is its own neighbour".into());
        }
        if weight == 0 {
            return Err("an edge has weight 0: weights must be positive".into());
        }
        self.arcs.push(Arc {
            from: from as u32,
            to: to as u32,
            weight,
            line,
        });
        Ok(())
    }

    /// Number of neighbours added so far; every edge counts twice.
    pub(super) fn arcs(&self) -> usize {
        self.arcs.len()
    }

    /// Returns the traffic, after checking that every edge is in the lists of both its ends with
    /// the same weight.
    pub(super) fn finish(mut self, path: &Path) -> Result<Traffic, CommError> {
        self.arcs.sort_unstable();
        for pair in self.arcs.windows(2) {
            if (pair[0].from, pair[0].to) == (pair[1].from, pair[1].to) {
                let problem = "a neighbour occurs twice in one list";
                return Err(CommError::malformed(path, pair[1].line, problem));
            }
        }
        let mut traffic = Builder::new(self.vertices);
        for arc in &self.arcs {
            let key = (arc.to, arc.from);
            let back = self
                .arcs
                .binary_search_by_key(&key, |arc| (arc.from, arc.to));
            if back.map(|place| self.arcs[place].weight) != Ok(arc.weight) {
                let problem = "an edge is missing from the list of its other end, or has another weight there";
                return Err(CommError::malformed(path, arc.line, problem));
            }
            let odd = u64::from(arc.from < arc.to);
            let bytes = arc.weight / 2 + arc.weight % 2 * odd;
            let pushed = traffic.push(Entry {
                from: Rank(arc.from),
                to: Rank(arc.to),
                bytes,
                messages: 0,
            });
            pushed.map_err(|error| CommError::malformed(path, arc.line, error.to_string()))?;
        }
        traffic
            .finish()
            .map_err(|error| CommError::refused(path, &error))
    }
}

/// Whether every pair is split as an edge would be read: half each way.
pub(super) fn is_halved(traffic: &Traffic) -> bool {
    traffic.entries().filter(|e| e.from != e.to).all(|e| {
        let back = traffic.bytes(e.to, e.from);
        let (up, down) = if e.from < e.to {
            (e.bytes, back)
        } else {
            (back, e.bytes)
        };
        up.checked_sub(down).is_some_and(|odd| odd <= 1)
    })
}

/// The edges to write.
pub(super) fn edges(traffic: &Traffic) -> Result<Affinity, WriteError> {
    let graph = traffic.clone().into_graph();
    let graph = graph.map_err(|error| WriteError::Refused(error.to_string()))?;
    Ok(graph.affinity())
}

/// Sum of the degrees of all vertices; every edge counts twice.
pub(super) fn degrees(edges: &Affinity) -> usize {
    edges.matrix().nnz()
}
