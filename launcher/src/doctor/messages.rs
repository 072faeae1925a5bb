//! The messages of the ranks to the process that examines the launch.

use super::wrong_data::WrongData;
use crate::own_ranks::Unfit;
use serde::{Deserialize, Serialize};

/// A message. Rank 0 sends all messages except [`Message::Unfit`], which every rank sends itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A rank cannot work.
    Unfit(Unfit),
    /// MPI was opened, and all ranks have reported where they run.
    Opened(ExaminedLaunch),
    /// A collective is about to be called.
    Begins(String),
    /// All collectives were called.
    Done {
        /// The number of kinds of collectives.
        kinds: usize,
        /// The lengths that each collective was called with, in integers a rank.
        lengths: Vec<usize>,
        /// The number of roots that collectives with a root were called with.
        roots: usize,
        /// The calls that returned wrong data, in the order of the ranks.
        wrong: Vec<WrongData>,
    },
}

/// The launch that is examined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExaminedLaunch {
    /// The path of the MPI library.
    pub(crate) library: String,
    /// The name and version that the library reports.
    pub(crate) version: String,
    /// Where every rank runs.
    pub(crate) ranks: Vec<RankLocation>,
}

/// Where a rank runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RankLocation {
    pub(crate) host: String,
    /// The cores that the rank may use, in the kernel's notation for lists.
    pub(crate) cores: String,
    /// Whether the launcher has bound the rank: its parent process may use other cores.
    pub(crate) bound: bool,
    /// The lowest rank among those that this rank can share memory with, by the MPI library.
    pub(crate) shares_with: usize,
}
