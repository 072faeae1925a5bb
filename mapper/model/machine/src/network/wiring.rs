//! Networks as plain graphs.

use rankfold_base::Csr;

/// All parallel cables between two vertices, in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The vertex that the edge leads to.
    pub to: u32,
    /// The sum of the bandwidths of the cables.
    pub bandwidth: f64,
}

/// A network as a graph. The vertices are the nodes, then the switches. Parallel cables are one
/// edge.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// The edges that leave every vertex, ascending by the vertex that the edge leads to.
    pub edges: Csr<Edge>,
}

impl Wiring {
    /// The graph of cables `(from, to, bandwidth)` in any order, with one entry for each direction.
    ///
    /// # Panics
    /// If a cable leaves a vertex that is not below `vertices`.
    #[must_use]
    pub fn new(vertices: usize, cables: impl IntoIterator<Item = (u32, u32, f64)>) -> Self {
        let mut cables: Vec<_> = cables.into_iter().collect();
        // A stable sort, so that the bandwidths of parallel cables are added in their order.
        cables.sort_by_key(|&(from, to, _)| (from, to));
        cables.dedup_by(|cable, first| {
            let parallel = (cable.0, cable.1) == (first.0, first.1);
            if parallel {
                first.2 += cable.2;
            }
            parallel
        });
        let edges = cables
            .into_iter()
            .map(|(from, to, bandwidth)| (from as usize, Edge { to, bandwidth }));
        Self {
            edges: Csr::sorted(vertices, edges),
        }
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.edges.rows()
    }

    /// The bandwidth of every edge, in the order of [`edges`](Self::edges).
    #[must_use]
    pub fn bandwidths(&self) -> Vec<f64> {
        self.edges.entries().iter().map(|e| e.bandwidth).collect()
    }

    /// The edges that leave a vertex.
    #[must_use]
    pub fn leaving(&self, vertex: u32) -> &[Edge] {
        self.edges.row(vertex as usize)
    }
}
