//! One placement: where bytes go, and what every link carries.

use super::traffic::{Blocks, Pair};
use rankfold_model::metric::Score;
use serde::Serialize;

/// One placement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// What it is called: "as launched", "placed".
    pub name: String,
    /// What that means, in a sentence.
    pub about: String,
    /// Ordered pairs of different ranks with bytes.
    pub pairs: usize,
    /// All their bytes.
    pub bytes: u64,
    /// The place of every rank on an axis of the matrix; empty for large worlds.
    pub place: Vec<u32>,
    /// Bytes by blocks of places, where pairs are too many to draw one by one.
    pub blocks: Option<Blocks>,
    /// Every metric.
    pub figures: Figures,
    /// Bytes by links travelled: entry h has those that cross h links.
    pub hops: Vec<u64>,
    /// What the links carry.
    pub loads: Loads,
    /// Share of the bytes that stay within one band of the matrix.
    pub within_band: Option<f64>,
    /// Bytes between parts of the machine.
    pub nodes: Vec<NodeMatrix>,
}

/// Every metric of one placement.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// All but the predicted time; congestion, its mean and its variance in the unit of loads.
    #[serde(flatten)]
    pub score: Score,
    /// Predicted communication time.
    pub predicted_time: f64,
    /// What that is in.
    pub time_unit: String,
}

impl Figures {
    /// Hop-bytes, to be divided and multiplied.
    #[must_use]
    pub fn hop_bytes(&self) -> f64 {
        self.score.hop_bytes as f64
    }
}

/// What the links carry.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Loads {
    /// Load of every link of [`Network`](super::Network), in the machine's unit; empty where links
    /// are not listed.
    pub links: Vec<f64>,
    /// Load of the busiest.
    pub most: f64,
    /// Links by load: bins of equal width from 0 to the most of both sides.
    pub bins: Vec<usize>,
    /// Links that carry nothing.
    pub idle: usize,
    /// Links that carry more than the busiest link of the last side.
    pub above: usize,
    /// Of each kind: the sum of its loads, and the highest.
    pub kinds: Vec<(f64, f64)>,
    /// The busiest links, busiest first, with the pairs of ranks on them.
    pub busiest: Vec<BusyLink>,
    /// Pictures of networks too large to draw link by link.
    pub folded: Option<Folded>,
}

/// A link and who uses it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BusyLink {
    /// Its number in [`Network`](super::Network), if links are listed.
    pub link: Option<usize>,
    /// Its name.
    pub name: String,
    /// Its load.
    pub load: f64,
    /// The pairs of ranks that load it most, heaviest first.
    pub top: Vec<Pair>,
    /// How many pairs there are in all; 0 where that was not looked at.
    pub pairs: usize,
}

/// What is drawn of networks too large to draw link by link; every number is the highest load of
/// its links.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Folded {
    /// One for each direction of a mesh or torus.
    Carpets {
        /// Slices as tiles, so many a row.
        tiles: usize,
        /// Nodes of a slice down and across.
        slice: (usize, usize),
        /// The carpets.
        carpets: Vec<Carpet>,
    },
    /// One row for each level and direction of a tree, the level of the nodes first, upwards first.
    Rows(Vec<Row>),
    /// Between and within groups.
    Groups(GroupLoads),
}

/// One direction of a mesh or torus.
#[derive(Clone, Debug, Serialize)]
pub struct Carpet {
    /// `+x`.
    pub name: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels, row by row.
    pub loads: Vec<f64>,
    /// Nodes a side of a pixel.
    pub nodes_each: usize,
}

/// One level and direction of a tree, from the first node to the last.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Level of the lower end.
    pub level: usize,
    /// Whether the links lead up.
    pub up: bool,
    /// By column.
    pub loads: Vec<f64>,
}

/// Loads between and within groups.
#[derive(Clone, Debug, Serialize)]
pub struct GroupLoads {
    /// What a row and column stands for, in the plural.
    pub word: String,
    /// How many.
    pub groups: usize,
    /// Row-major; the diagonal is within.
    pub loads: Vec<f64>,
}

/// Bytes between parts of the machine.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NodeMatrix {
    /// What the rows and columns are: "x", "group".
    pub word: String,
    /// How many parts.
    pub size: usize,
    /// Row-major.
    pub bytes: Vec<u64>,
}
