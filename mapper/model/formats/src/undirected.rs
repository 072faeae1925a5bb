//! Undirected edges with one weight, shared by the formats of graph partitioners.
//!
//! An edge {u, v} of weight w is read as w bytes from u to v and w bytes from v to u: what a
//! partitioner minimises is proportional to the hop-bytes of that traffic. A graph with as many
//! bytes one way as the other is written with these bytes as weights, and is read back unchanged.
//! Weights of vertices are weights of ranks.
//! In any other graph the weight of an edge is the sum of both directions. The split between the
//! directions is then lost, as message counts and what ranks send to themselves always are.

use super::{Keeps, Reading};
use rankfold_base::Rank;
use rankfold_graph::{Affinity, Builder, CommError, Entry, Result, Traffic, WriteError};
use std::path::Path;

/// What these formats can hold.
pub(super) const KEEPS: Keeps = Keeps {
    direction: false,
    itself: false,
    messages: false,
    weights: true,
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
    /// The weight of every vertex; empty without weights.
    weights: Vec<u32>,
    /// What the file gives besides its edges.
    pub(super) given: Given,
}

/// The numbers that a graph may give besides its edges.
#[derive(Clone, Copy)]
pub(super) struct Given {
    /// Whether edges have weights. Without them every edge has weight 1.
    pub(super) edge_weights: bool,
    /// The field's word for the weight of a vertex, where there is one.
    pub(super) weights: Option<&'static str>,
    /// The field's words for numbers of a vertex that are not used, where there are some.
    pub(super) unused: Option<&'static str>,
}

impl Given {
    /// What was assumed about the numbers, one sentence each.
    fn notes(self, path: &Path, has_weights: bool) -> Vec<String> {
        let path = path.display();
        let edges = if self.edge_weights {
            format!("{path}: an edge of weight w counts as w bytes each way")
        } else {
            format!("{path}: its edges have no weights, so each counts as 1 byte each way")
        };
        let weights = self.weights.filter(|_| has_weights).map(|weights| {
            format!("{path}: the {weights} of its vertices are the slots that ranks take (--weights none: one each)")
        });
        let unused = self
            .unused
            .map(|numbers| format!("{path}: the {numbers} of its vertices are not used"));
        [edges].into_iter().chain(weights).chain(unused).collect()
    }
}

impl Lists {
    pub(super) fn new(vertices: usize, given: Given) -> Self {
        Self {
            vertices,
            arcs: Vec::new(),
            weights: Vec::new(),
            given,
        }
    }

    /// Adds the weight of the next vertex.
    pub(super) fn weigh(&mut self, weight: u64) -> Result<(), String> {
        let weight = u32::try_from(weight)
            .map_err(|_| format!("a vertex weighs {weight}: weights below 2^32 are read"))?;
        self.weights.push(weight);
        Ok(())
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

    /// Returns the traffic and what was assumed, after checking that every edge is in the lists of
    /// both its ends with the same weight.
    pub(super) fn finish(mut self, path: &Path) -> Result<Reading> {
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
            let pushed = traffic.push(Entry {
                from: Rank(arc.from),
                to: Rank(arc.to),
                bytes: arc.weight,
                messages: 0,
            });
            pushed.map_err(|error| CommError::malformed(path, arc.line, error.to_string()))?;
        }
        if self.weights.iter().all(|&weight| weight == 1) {
            self.weights.clear();
        }
        let notes = self.given.notes(path, !self.weights.is_empty());
        let traffic = traffic
            .finish()
            .map_err(|error| CommError::refused(path, &error))?;
        Ok(Reading {
            notes,
            ..traffic.with_weights(self.weights).into()
        })
    }
}

/// Whether every pair sends as much one way as the other.
pub(super) fn is_symmetric(traffic: &Traffic) -> bool {
    let mut entries = traffic.entries();
    entries.all(|e| traffic.bytes(e.to, e.from) == e.bytes)
}

/// The edges to write.
pub(super) struct Edges {
    /// The bytes of both directions.
    both: Affinity,
    /// What the bytes of both directions are divided by: 2 where they are equal.
    unit: u64,
}

impl Edges {
    pub(super) fn of(traffic: &Traffic) -> Result<Self, WriteError> {
        let unit = if is_symmetric(traffic) { 2 } else { 1 };
        let graph = traffic.clone().into_graph();
        let graph = graph.map_err(|error| WriteError::Refused(error.to_string()))?;
        let both = graph.affinity();
        Ok(Self { both, unit })
    }

    pub(super) fn ranks(&self) -> usize {
        self.both.ranks()
    }

    /// Number of neighbours of a vertex.
    pub(super) fn degree(&self, rank: Rank) -> usize {
        self.both.degree(rank)
    }

    /// The neighbours of a vertex and the weights of their edges.
    pub(super) fn partners(&self, rank: Rank) -> impl Iterator<Item = (Rank, u64)> + '_ {
        let partners = self.both.partners(rank);
        partners.map(|(partner, bytes)| (partner, bytes / self.unit))
    }

    /// Sum of the degrees of all vertices; every edge counts twice.
    pub(super) fn degrees(&self) -> usize {
        self.both.matrix().nnz()
    }
}
