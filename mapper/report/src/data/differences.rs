//! What a second run sends more or less than the first, pair by pair.

use super::pattern::Pattern;
use schemars::JsonSchema;
use serde::Serialize;

/// The communication of the second run minus that of the first. Both have the same ranks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Differences {
    /// Number of ordered pairs of ranks that send other bytes in the second run.
    pub pairs: usize,
    /// Bytes that pairs send more in the second run.
    pub more: u64,
    /// Bytes that pairs send less in the second run.
    pub less: u64,
    /// The differences between blocks of ranks.
    pub blocks: DifferenceBlocks,
    /// The pairs with the largest differences, largest first.
    pub largest: Vec<PairDifference>,
    /// The pattern of the first run.
    pub pattern_before: Pattern,
}

/// A square matrix of differences between blocks of ranks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DifferenceBlocks {
    /// Number of blocks along an axis.
    pub size: usize,
    /// Number of ranks in a block.
    pub ranks_each: usize,
    /// Row, column, and bytes of the second run minus bytes of the first, of every block that
    /// differs, sorted by row and column.
    pub cells: Vec<(u32, u32, i64)>,
}

/// A pair of ranks in both runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PairDifference {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Bytes in the first run.
    pub before: u64,
    /// Bytes in the second run.
    pub after: u64,
}
