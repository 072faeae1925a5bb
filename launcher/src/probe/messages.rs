//! What rank 0 tells while it measures.

use crate::own_ranks::Unfit;
use serde::{Deserialize, Serialize};

/// One thing rank 0 tells; a rank that cannot work tells that itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A rank cannot work.
    Unfit(Unfit),
    /// So much is done, from 0 to 1, and what is being done.
    Progress(f64, String),
    /// Something to know about the measurements.
    Note(String),
    /// What is known now; the last one counts.
    Known(ProbedMachine),
}

/// A machine as far as it is known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProbedMachine {
    /// The machine file.
    pub(crate) machine: String,
    /// One line about it.
    pub(crate) summary: String,
    /// Whether all was measured that was to be.
    pub(crate) complete: bool,
}
