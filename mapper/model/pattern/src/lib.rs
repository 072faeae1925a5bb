//! The analyser: finds out whether the communication is a grid of ranks, and which grid.
//!
//! ```text
//! CommGraph ─> PairTraffic ─> thresholds ─┬> declared by program ─┐
//!                  │                      ├> radix: rows, blocks ─┼─> GridFit: verified ─> Pattern
//!                  │                      └> permuted: any order ─┘
//!                  └─> without hubs, idle ranks, groups ─> again
//! ```
//!
//! Several methods propose grids: the program's own declaration (`declared`), the histogram of rank
//! differences for ranks in rows or blocks (`radix`), and adjacency alone for ranks in any order
//! (`permuted`). One method verifies all proposals: `grid_fit` decodes every pair into steps of the
//! grid. `search` says in which order the methods are tried.
//!
//! ```text
//! ranks 0..11, pairs 0-1 1-2 3-4 4-5 .. and 0-3 1-4 2-5 3-6 ..
//! rank differences 1 (8 pairs) and 3 (9 pairs)      ─> radix proposes 4 x 3
//! every pair is one step along one dimension        ─> GridFit: 5-point stencil, confidence 1
//!  0-1-2
//!  | | |
//!  3-4-5
//!  | | |
//!  ..
//! ```
//!
//! Cost: O(pairs) for ranks numbered by rows or blocks; `scripts/bench analyser` shows times and
//! their growth.
//!
//! # Thresholds and their evidence
//!
//! The thresholds of this module and those below it were chosen by hand with the first versions of
//! the analyser (commits 0a82c06 and 4d12486), and not varied one by one. Constants with a
//! measurement of their own say so. The thresholds together are checked by the tests in
//! `tests/acceptance.rs`, which must recognise grids of 1 to 5 dimensions with and without noise,
//! and by `scripts/bench analyser --worlds`: of 100 random grids each with 0, 1, 5 and 20 % of
//! noise, 100, 100, 96 and 64 are recognised, and of 1000 other graphs none is taken for a grid
//! (commit 2e54fa6).
#![forbid(unsafe_code)]

mod adjacency;
pub mod bhatele;
mod crossing;
mod declared;
mod grid_fit;
mod groups;
mod neighbourhood;
mod numbering;
pub mod parallel;
mod partial;
mod permuted;
mod radix;
mod search;
mod stencil_steps;
mod thresholds;
mod traffic;

pub use numbering::{Digit, Numbering};
use rankfold_base::Rank;
use rankfold_graph::CommGraph;
use rankfold_graph::renumbered::Renumbered;
use schemars::JsonSchema;
use std::borrow::Cow;

/// Confidence from which a grid counts as recognised. Chosen by hand (see above).
pub const ACCEPT: f64 = 0.95;

/// Share of the bytes from which a grid gives the traffic its name although other bytes remain
/// unexplained. Chosen by hand.
const MOSTLY: f64 = 0.9;

/// The result of the analysis of a communication graph.
#[derive(Clone, Debug, PartialEq, serde::Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Pattern {
    /// Ranks form a grid and exchange messages along fixed offsets of the grid.
    Regular {
        /// The reading with the highest confidence.
        best: Stencil,
        /// All other plausible readings, the most confident first.
        alternatives: Vec<Stencil>,
        /// Traffic of a known kind in addition to the grid.
        overlays: Vec<Overlay>,
    },
    /// No grid explains the traffic.
    Irregular {
        /// Share of the bytes that the best grid explains, from 0 to 1.
        explained: f64,
        /// The grid that carries most bytes, if these are more than half of all bytes.
        partly: Option<Box<Stencil>>,
        /// Traffic of a known kind.
        overlays: Vec<Overlay>,
    },
}

/// Ranks as cells of a grid; the last dimension varies fastest.
#[derive(Clone, Debug, PartialEq, serde::Serialize, JsonSchema)]
pub struct Stencil {
    /// Who proposed the grid. All grids are confirmed by the traffic.
    pub source: Source,
    /// Size of every dimension. Their product is the number of [`cells`](Self::cells).
    pub dims: Vec<usize>,
    /// The cell of every rank; see [`cell`](Self::cell).
    pub numbering: Numbering,
    /// Whether a dimension is a ring. For size 2, where it makes no difference to the traffic, true
    /// only if the program declares it; false for size 1.
    pub periodic: Vec<bool>,
    /// Number of points of the stencil, centre included (5, 7, 9, 15, 27, ...).
    pub points: usize,
    /// The lower of two shares, from 0 to 1: bytes along the stencil's offsets, of the bytes that
    /// no overlay explains; and neighbour pairs of the grid that exchange bytes.
    pub confidence: f64,
    /// Share of all bytes along the stencil's offsets, from 0 to 1.
    pub carried: f64,
    /// Offsets of the stencil with their bytes. An offset also stands for its opposite.
    pub offsets: Vec<Offset>,
}

/// Origin of a proposed grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Found in the traffic alone.
    Traffic,
    /// Declared by the program with `MPI_Cart_create`.
    Declared,
}

/// One direction of a stencil together with its opposite.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Offset {
    /// Steps along each dimension; the first non-zero step is positive.
    pub steps: Vec<i32>,
    /// Bytes of all messages in the direction of the offset.
    pub forward: u64,
    /// Bytes of all messages in the opposite direction.
    pub backward: u64,
}

/// Traffic that is no part of a grid, but of a known kind.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Overlay {
    /// One rank that exchanges messages with more than a quarter of all ranks: a root or a master.
    Hub {
        /// The rank.
        rank: Rank,
        /// Bytes it sends and receives, including those of its grid neighbours.
        bytes: u64,
    },
    /// All-to-alls within groups of ranks (sub-communicators).
    Groups {
        /// Number of groups.
        count: usize,
        /// Ranks of each group.
        size: usize,
        /// Bytes of the all-to-alls.
        bytes: u128,
    },
    /// Messages that reach beyond the next cells, with fewer bytes the further they go: the coarser
    /// levels of a multigrid.
    Levels {
        /// Distances in cells, ascending.
        reaches: Vec<u32>,
        /// Bytes of these messages.
        bytes: u128,
    },
}

/// Groups of ranks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Number of groups.
    pub count: usize,
    /// Ranks of each group.
    pub size: usize,
}

impl std::fmt::Display for Groups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, size } = self;
        match size {
            2 => write!(f, "{count} pairs of ranks"),
            _ => write!(f, "{count} groups of {size} ranks"),
        }
    }
}

impl Pattern {
    /// The grid that gives the traffic its name, if there is one.
    #[must_use]
    pub fn stencil(&self) -> Option<&Stencil> {
        match self {
            Self::Regular { best, .. } => Some(best),
            Self::Irregular { .. } => None,
        }
    }

    /// The all-to-alls within groups of ranks that give the traffic its name, in words, and their
    /// share of all `bytes`. Where there are two kinds, the groups of one cross those of the other.
    #[must_use]
    pub fn groups(&self, bytes: u128) -> Option<(String, f64)> {
        let mut kinds = Vec::new();
        let mut inside = 0;
        for overlay in self.overlays() {
            if let Overlay::Groups { count, size, bytes } = *overlay {
                kinds.push(Groups { count, size }.to_string());
                inside += bytes;
            }
        }
        let words = || {
            format!(
                "all-to-alls within {}",
                kinds.join(", and across them within ")
            )
        };
        (!kinds.is_empty() && inside as f64 >= MOSTLY * bytes as f64)
            .then(|| (words(), inside as f64 / bytes as f64))
    }

    /// All grids that may guide a placement, the most confident first: the plausible grids, or else
    /// one grid that carries more than half of the bytes.
    pub fn stencils(&self) -> impl Iterator<Item = &Stencil> {
        let (first, others): (_, &[Stencil]) = match self {
            Self::Regular {
                best, alternatives, ..
            } => (Some(best), alternatives),
            Self::Irregular { partly, .. } => (partly.as_deref(), &[]),
        };
        first.into_iter().chain(others)
    }

    /// Whether a grid explains nearly all traffic, so that heuristics for other graphs are not
    /// needed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.stencil().is_some_and(|best| best.confidence >= ACCEPT)
    }

    /// The pattern after renaming all `ranks` ranks.
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

    /// Traffic of a known kind besides the grid.
    #[must_use]
    pub fn overlays(&self) -> &[Overlay] {
        match self {
            Self::Regular { overlays, .. } | Self::Irregular { overlays, .. } => overlays,
        }
    }
}

/// Bytes per rank below which counted messages are no pattern but, for example, a barrier or a
/// setup phase. Chosen by hand (commit ecad488).
const LEAST_BYTES: u128 = 64;

/// Whether there is too little traffic for a pattern. Matrices without message counts may be in any
/// unit, so their bytes are not compared with a limit.
#[must_use]
pub fn has_too_little_traffic(graph: &CommGraph) -> bool {
    let least = LEAST_BYTES * graph.ranks() as u128;
    graph.total_bytes() == 0 || (graph.counts_messages() && graph.total_bytes() < least)
}

/// Analyses a graph. Takes O(pairs) if the ranks are numbered by rows or by blocks of a grid.
#[must_use]
pub fn analyze(graph: &CommGraph) -> Pattern {
    analyze_renumbered(&Renumbered::if_scattered(Cow::Borrowed(graph)))
}

/// Analyses a renumbered graph and returns the pattern in the original numbers.
pub fn analyze_renumbered(renumbered: &Renumbered<'_>) -> Pattern {
    if has_too_little_traffic(&renumbered.graph) {
        return Pattern::Irregular {
            explained: 0.0,
            partly: None,
            overlays: Vec::new(),
        };
    }
    let found = search::analyze(&renumbered.graph);
    if renumbered.keeps_numbers() {
        found
    } else {
        found.renamed(renumbered.graph.ranks(), |rank| {
            renumbered.original_rank(rank)
        })
    }
}

#[cfg(test)]
mod tests;
