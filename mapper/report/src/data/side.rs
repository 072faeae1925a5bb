//! One placement: how far bytes travel, and what every link carries.

use super::traffic::{Blocks, Pair};
use rankfold_metric::Score;
use rankfold_metric::time::Predictor;
use schemars::JsonSchema;
use serde::Serialize;

/// One of the placements, or of the runs, that a report compares.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Side {
    /// Name: "as launched", "placed".
    pub name: String,
    /// What the name means, in a sentence.
    pub about: String,
    /// Number of ordered pairs of different ranks that exchange bytes.
    pub pairs: usize,
    /// Bytes between different ranks.
    pub bytes: u64,
    /// The place of every rank on the axes of the matrix; empty for runs with many ranks.
    pub place: Vec<u32>,
    /// Bytes between blocks of places, where there are too many pairs to draw each.
    pub blocks: Option<Blocks>,
    /// All metrics.
    pub figures: Figures,
    /// Bytes by distance: entry h holds the bytes that cross h links.
    pub hops: Vec<u64>,
    /// The loads of the links.
    pub loads: LinkLoads,
    /// Share of the bytes that stay within one band of the matrix.
    pub within_band: Option<f64>,
    /// Bytes between parts of the machine: one matrix per dimension, or one of groups.
    pub nodes: Vec<NodeMatrix>,
}

/// All metrics of one placement.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Figures {
    /// All metrics but the predicted time. Congestion, its mean and its variance are in the unit of
    /// loads.
    #[serde(flatten)]
    pub score: Score,
    /// Predicted communication time.
    pub predicted_time: f64,
    /// What the time comes from: "replay" or "T".
    pub predicted_by: Predictor,
    /// Unit of that time.
    pub time_unit: String,
}

impl Figures {
    /// The hop-bytes as a floating-point number.
    #[must_use]
    pub fn hop_bytes(&self) -> f64 {
        self.score.hop_bytes as f64
    }
}

/// The loads of all links.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct LinkLoads {
    /// Load of every link of [`Network`](super::Network), in the machine's unit; empty where links
    /// are not listed one by one.
    pub links: Vec<f64>,
    /// Load of the busiest link.
    pub most: f64,
    /// Histogram of the loads: bins of equal width, from 0 to the highest load of all sides.
    pub bins: Vec<usize>,
    /// Number of links that carry nothing.
    pub idle: usize,
    /// Number of links whose load is within a hundredth of the busiest link's.
    pub level: usize,
    /// Number of links that carry more than the busiest link of the last side.
    pub above: usize,
    /// For each kind of link: the sum of the loads, and the highest load.
    pub kinds: Vec<(f64, f64)>,
    /// The busiest links, busiest first, with the pairs of ranks that use them.
    pub busiest: Vec<BusyLink>,
    /// Condensed pictures of networks with too many links to draw each.
    pub folded: Option<Folded>,
}

/// A link and the pairs of ranks that use it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct BusyLink {
    /// Index into [`Network`](super::Network), if links are listed one by one.
    pub link: Option<usize>,
    /// Name of the link.
    pub name: String,
    /// Load of the link.
    pub load: f64,
    /// The pairs of ranks with most bytes on the link, heaviest first.
    pub top: Vec<Pair>,
    /// Number of all pairs on the link; 0 if not counted.
    pub pairs: usize,
}

/// Condensed pictures of a network with too many links to draw each. Every value is the highest
/// load of the links it stands for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Folded {
    /// One picture for each direction of a mesh or torus.
    Carpets {
        /// Slices lie side by side as tiles; this many tiles make a row.
        tiles: usize,
        /// Height and width of a slice in pixels.
        slice: (usize, usize),
        /// The pictures.
        carpets: Vec<Carpet>,
    },
    /// One row for each level and direction of a tree. The nodes' level comes first, upward links
    /// before downward links.
    Rows {
        /// The rows.
        rows: Vec<LevelRow>,
    },
    /// Links between groups and within groups.
    Groups {
        /// The loads.
        #[serde(flatten)]
        loads: GroupLoads,
    },
}

/// The links of one direction of a mesh or torus as a picture.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Carpet {
    /// Name of the direction, such as `+x`.
    pub name: String,
    /// Width of the picture in pixels.
    pub width: usize,
    /// Loads of the pixels, row by row.
    pub loads: Vec<f64>,
    /// A pixel stands for a square of nodes with this side.
    pub nodes_each: usize,
}

/// The links of one level and direction of a tree, from the first node to the last.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LevelRow {
    /// Level of the links' lower end.
    pub level: usize,
    /// Whether the links lead up.
    pub up: bool,
    /// Loads of the columns.
    pub loads: Vec<f64>,
}

/// Loads of the links between groups and within groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupLoads {
    /// What a row or column stands for, in the plural.
    pub word: String,
    /// Number of rows and columns.
    pub groups: usize,
    /// Loads, row-major. The diagonal holds links within groups.
    pub loads: Vec<f64>,
}

/// Bytes between parts of the machine.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NodeMatrix {
    /// What rows and columns stand for: "x", "group".
    pub word: String,
    /// Number of rows and columns.
    pub size: usize,
    /// Bytes, row-major.
    pub bytes: Vec<u64>,
}
