//! The pattern of the communication.

use schemars::JsonSchema;
use serde::Serialize;

/// The communication pattern that the analyser found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Pattern {
    /// The grid that the ranks form, if the pattern is regular.
    pub grid: Option<GridPattern>,
    /// All-to-alls within groups of ranks, in words, where they give the traffic its name.
    pub groups: Option<String>,
    /// For irregular patterns: the share of the bytes that the best grid tried explains.
    pub explained: f64,
    /// Traffic of other known kinds, in words.
    pub overlays: Vec<String>,
    /// Number of ranks by number of partners: entry k counts the ranks with k partners.
    pub partners: Vec<usize>,
    /// Entry k: share of the bytes that ranks send to their k heaviest partners.
    pub heaviest: Vec<f64>,
}

/// A grid of ranks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct GridPattern {
    /// Size of every dimension.
    pub dims: Vec<usize>,
    /// Whether each dimension closes to a ring.
    pub periodic: Vec<bool>,
    /// Number of points of the stencil.
    pub points: usize,
    /// Share of all bytes that the stencil carries.
    pub carried: f64,
    /// How ranks are numbered in the grid, in words.
    pub numbering: String,
    /// The rank in every cell, row-major; empty for large grids.
    pub ranks: Vec<Option<u32>>,
    /// For each neighbour: the steps along the dimensions, and the bytes that a rank sends there,
    /// as a mean over the ranks that have this neighbour.
    pub neighbours: Vec<(Vec<i32>, f64)>,
}
