//! The analyser: is this communication a grid of ranks, and which?

mod numbering;
mod offsets;
mod reading;

use crate::comm::CommGraph;
pub use numbering::{Digit, Numbering};

/// Confidence from which a grid counts as recognised.
pub const ACCEPT: f64 = 0.95;

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

/// Ranks as cells of a grid, last dimension fastest.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Stencil {
    /// Size of every dimension; they multiply to the number of [`cells`](Self::cells).
    pub dims: Vec<usize>,
    /// Which cell every rank is: ask [`cell`](Self::cell).
    pub numbering: Numbering,
    /// Whether a dimension closes to a ring; never said of sizes 1 and 2, where it makes no difference.
    pub periodic: Vec<bool>,
    /// Number of points the stencil touches, the centre included (5, 7, 9, 15, 27, ...).
    pub points: usize,
    /// The lower of two shares, 0 to 1: bytes that travel along the stencil's offsets, and neighbour pairs
    /// of the grid that do exchange bytes.
    pub confidence: f64,
    /// The stencil's offsets with the bytes along each; an offset stands for its opposite too.
    pub offsets: Vec<Offset>,
}

/// One direction of a stencil, its opposite included.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Offset {
    /// Steps along each dimension, the first non-zero one positive.
    pub steps: Vec<i32>,
    /// Bytes of all messages along the offset.
    pub forward: u64,
    /// Bytes of all messages against it.
    pub backward: u64,
}

impl Pattern {
    /// The grid, if there is one.
    #[must_use]
    pub fn stencil(&self) -> Option<&Stencil> {
        self.stencils().next()
    }

    /// Every plausible grid, most confident first.
    pub fn stencils(&self) -> impl Iterator<Item = &Stencil> {
        match self {
            Self::Regular { best, alternatives } => Some(best).into_iter().chain(alternatives),
            Self::Irregular { .. } => None.into_iter().chain(&[]),
        }
    }
}

/// Analyses a graph whose ranks are numbered along the grid (row-major), in O(pairs).
#[must_use]
pub fn analyze(graph: &CommGraph) -> Pattern {
    offsets::analyze(graph)
}

#[cfg(test)]
mod tests;
