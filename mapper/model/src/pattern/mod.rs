//! The analyser: is this communication a grid of ranks, and which?
//!
//! ```text
//! CommGraph ─> PairTraffic ─> thresholds ─┬> declared by the program ─┐
//!                  │                      ├> radix: rows, blocks ─────┼─> GridFit: every pair decoded ─> Pattern
//!                  │                      └> permuted: any order ─────┘
//!                  └─> without hubs, idle ranks, groups ─> again
//! ```
//!
//! Whatever proposes a grid, one place verifies it: `grid_fit` decodes every pair into steps of the
//! grid.

mod adjacency;
pub mod bhatele;
mod declared;
mod grid_fit;
mod groups;
mod neighbourhood;
mod numbering;
mod partial;
mod permuted;
mod radix;
mod search;
mod stencil_steps;
mod thresholds;
mod traffic;

use crate::comm::CommGraph;
use crate::ids::Rank;
use crate::renumbered::Renumbered;
pub use numbering::{Digit, Numbering};
use std::borrow::Cow;

/// Confidence from which a grid counts as recognised.
pub const ACCEPT: f64 = 0.95;

/// Share of the bytes from which a grid that leaves others unexplained is still what the traffic is
/// called after.
const MOSTLY: f64 = 0.9;

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
        /// Other traffic of a known kind, on top of the grid's.
        overlays: Vec<Overlay>,
    },
    /// No grid explains the traffic.
    Irregular {
        /// Share of the bytes that the best grid tried would explain, 0 to 1.
        explained: f64,
        /// The grid that carries most of the bytes, if that is more than half of them.
        partly: Option<Box<Stencil>>,
        /// Traffic of a known kind.
        overlays: Vec<Overlay>,
    },
}

/// Ranks as cells of a grid, last dimension fastest.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Stencil {
    /// Who proposed the grid; the traffic confirms every one.
    pub source: Source,
    /// Size of every dimension; they multiply to the number of [`cells`](Self::cells).
    pub dims: Vec<usize>,
    /// Which cell every rank is: ask [`cell`](Self::cell).
    pub numbering: Numbering,
    /// Whether a dimension closes to a ring; never said of sizes 1 and 2, where it makes no
    /// difference.
    pub periodic: Vec<bool>,
    /// Number of points the stencil touches, the centre included (5, 7, 9, 15, 27, ...).
    pub points: usize,
    /// The lower of two shares, 0 to 1: bytes that travel along the stencil's offsets, of those no
    /// overlay accounts for; and neighbour pairs of the grid that do exchange bytes.
    pub confidence: f64,
    /// Share of all bytes that travel along the stencil's offsets, 0 to 1.
    pub carried: f64,
    /// The stencil's offsets with the bytes along each; an offset stands for its opposite too.
    pub offsets: Vec<Offset>,
}

/// Where a grid comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// It was found in the traffic alone.
    Traffic,
    /// The program declared it with `MPI_Cart_create`.
    Declared,
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

/// Traffic that has nothing to do with a grid but is no noise either.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Overlay {
    /// One rank that talks to more than a quarter of all: a root, a master.
    Hub {
        /// The rank.
        rank: Rank,
        /// Bytes it sends and receives, its grid neighbours' included.
        bytes: u64,
    },
    /// All-to-alls within groups of ranks: sub-communicators.
    Groups {
        /// Number of groups.
        count: usize,
        /// Ranks in each.
        size: usize,
        /// Bytes of the all-to-alls.
        bytes: u128,
    },
    /// Messages that reach beyond the next cells, the fewer bytes the further: the coarser levels
    /// of a multigrid.
    Levels {
        /// How far apart, in cells, ascending.
        reaches: Vec<u32>,
        /// Their bytes.
        bytes: u128,
    },
}

impl Pattern {
    /// The grid that the traffic is called after, if there is one.
    #[must_use]
    pub fn stencil(&self) -> Option<&Stencil> {
        match self {
            Self::Regular { best, .. } => Some(best),
            Self::Irregular { .. } => None,
        }
    }

    /// Every grid that may guide a placement, most confident first: the plausible ones, or else one
    /// that carries more than half of the bytes.
    pub fn stencils(&self) -> impl Iterator<Item = &Stencil> {
        let (first, others): (_, &[Stencil]) = match self {
            Self::Regular {
                best, alternatives, ..
            } => (Some(best), alternatives),
            Self::Irregular { partly, .. } => (partly.as_deref(), &[]),
        };
        first.into_iter().chain(others)
    }

    /// Whether a grid explains nearly everything, so that nothing is to be gained by looking at the
    /// traffic otherwise.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.stencil().is_some_and(|best| best.confidence >= ACCEPT)
    }

    /// This pattern after every one of `ranks` ranks is called by another name.
    fn renamed(mut self, ranks: usize, name: impl Fn(Rank) -> Rank) -> Self {
        let (best, others, overlays) = match &mut self {
            Self::Regular {
                best,
                alternatives,
                overlays,
            } => (Some(best), alternatives.as_mut_slice(), overlays),
            Self::Irregular {
                partly, overlays, ..
            } => (partly.as_deref_mut(), Default::default(), overlays),
        };
        for stencil in best.into_iter().chain(others) {
            stencil.numbering = stencil.numbering.renamed(&stencil.dims, ranks, &name);
        }
        for overlay in overlays {
            if let Overlay::Hub { rank, .. } = overlay {
                *rank = name(*rank);
            }
        }
        self
    }

    /// Traffic of a known kind that no grid explains.
    #[must_use]
    pub fn overlays(&self) -> &[Overlay] {
        match self {
            Self::Regular { overlays, .. } | Self::Irregular { overlays, .. } => overlays,
        }
    }
}

/// Bytes a rank below which counted messages are no program's pattern: a barrier's, say, or those
/// of a set-up.
const LEAST_BYTES: u128 = 64;

/// Whether there is too little traffic to tell a pattern. Matrices that do not count messages may
/// be in any unit, and are taken as they are.
#[must_use]
pub fn has_too_little_traffic(graph: &CommGraph) -> bool {
    let least = LEAST_BYTES * graph.ranks() as u128;
    graph.total_bytes() == 0 || (graph.counts_messages() && graph.total_bytes() < least)
}

/// Analyses a graph: in O(pairs) where its ranks are numbered along the grid, by rows or by blocks.
#[must_use]
pub fn analyze(graph: &CommGraph) -> Pattern {
    analyze_renumbered(&Renumbered::if_scattered(Cow::Borrowed(graph)))
}

/// The pattern of the graph as it was before it was renumbered.
pub fn analyze_renumbered(renumbered: &Renumbered<'_>) -> Pattern {
    if has_too_little_traffic(&renumbered.graph) {
        return Pattern::Irregular {
            explained: 0.0,
            partly: None,
            overlays: Vec::new(),
        };
    }
    let found = search::analyze(&renumbered.graph);
    match renumbered.keeps_numbers() {
        true => found,
        false => found.renamed(renumbered.graph.ranks(), |rank| {
            renumbered.original_rank(rank)
        }),
    }
}

#[cfg(test)]
mod tests;
