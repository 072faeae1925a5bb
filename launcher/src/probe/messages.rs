//! The messages that rank 0 sends while it measures.

use crate::own_ranks::Unfit;
use serde::{Deserialize, Serialize};

/// A message. Rank 0 sends all messages except [`Message::Unfit`], which every rank sends itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A rank cannot work.
    Unfit(Unfit),
    /// The share of the work that is done, from 0 to 1, and the current step.
    Progress(f64, String),
    /// Information about the measurements for the user.
    Note(String),
    /// The machine as it is known by now. The last such message counts.
    Known(ProbedMachine),
}

/// A measured machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProbedMachine {
    /// The text of the machine file.
    pub(crate) machine: String,
    /// A summary in one line.
    pub(crate) summary: String,
    /// Whether all measurements were made: latencies and bandwidths.
    pub(crate) complete: bool,
}
