//! The analyser: is this communication a grid of ranks, and which?

mod offsets;

use crate::comm::CommGraph;

/// What the analyser made of a communication graph.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Pattern {
    /// Ranks form a grid and talk along fixed offsets of it.
    Regular {
        /// The reading with the highest confidence.
        best: Stencil,
        /// Every other plausible reading, most confident first.
        alternatives: Vec<Stencil>,
    },
    /// No grid explains the traffic.
    Irregular {
        /// Share of the bytes that the best grid tried would explain, 0 to 1.
        explained: f64,
    },
}

/// Ranks `0..n` as cells of a grid, last dimension fastest.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Stencil {
    /// Size of every dimension; they multiply to the number of ranks.
    pub dims: Vec<usize>,
    /// Whether a dimension closes to a ring.
    pub periodic: Vec<bool>,
    /// Number of points the stencil touches, the centre included (5, 7, 9, 15, 27, ...).
    pub points: usize,
    /// Share of all bytes, 0 to 1, that travels along the stencil's offsets.
    pub confidence: f64,
}

impl Pattern {
    /// The grid, if there is one.
    #[must_use]
    pub fn stencil(&self) -> Option<&Stencil> {
        match self {
            Self::Regular { best, .. } => Some(best),
            Self::Irregular { .. } => None,
        }
    }
}

/// Analyses a graph whose ranks are numbered along the grid (row-major), in O(pairs).
#[must_use]
pub fn analyze(graph: &CommGraph) -> Pattern {
    offsets::analyze(graph)
}
