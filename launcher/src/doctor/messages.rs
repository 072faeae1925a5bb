//! What the ranks tell.

use super::wrong_data::WrongData;
use crate::own_ranks::Unfit;
use serde::{Deserialize, Serialize};

/// One thing rank 0 tells; a rank that cannot work tells that itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A rank cannot work.
    Unfit(Unfit),
    /// MPI is there, and all ranks have said where they are.
    Opened(ExaminedLaunch),
    /// A collective is about to be called.
    Begins(String),
    /// All collectives were called.
    Done {
        /// Kinds of collectives.
        kinds: usize,
        /// Lengths each was called with, in integers a rank.
        lengths: Vec<usize>,
        /// Roots the rooted ones were called with.
        roots: usize,
        /// The calls that returned wrong data, by rank.
        wrong: Vec<WrongData>,
    },
}

/// The launch that is examined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExaminedLaunch {
    /// The library's file.
    pub(crate) library: String,
    /// What the library says it is.
    pub(crate) version: String,
    /// Where each rank is.
    pub(crate) ranks: Vec<RankLocation>,
}

/// Where a rank is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RankLocation {
    pub(crate) host: String,
    /// The cores the system lets it use, as the system lists them.
    pub(crate) cores: String,
    /// Whether the launcher has bound it: the process that started it may use others.
    pub(crate) bound: bool,
    /// Lowest rank of those the library lets it share memory with.
    pub(crate) shares_with: usize,
}
