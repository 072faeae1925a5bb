//! What is to be known of a count of NCCL's traffic besides its numbers.

use crate::nccl_process::{NcclLoss, OF_C10D};
use serde::{Deserialize, Serialize};

/// Events that were not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostEvents {
    /// The reason.
    pub loss: NcclLoss,
    /// Bytes of these events, as far as they are known.
    pub bytes: u64,
    /// Number of events.
    pub events: u64,
}

/// What is to be known of a count besides its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NcclRecord {
    /// The versions of the profiler interface, in ascending order.
    pub interfaces: Vec<u32>,
    /// Ranks whose process ended before its communicators did, in ascending order.
    pub unfinished: Vec<u32>,
    /// Events that were not counted, by reason.
    pub lost: Vec<LostEvents>,
    /// Contradictions between the processes, one sentence each.
    pub notes: Vec<String>,
}

impl NcclRecord {
    /// Whether all processes were counted by the hook for PyTorch's c10d, and none by NCCL.
    #[must_use]
    pub fn is_of_c10d(&self) -> bool {
        !self.interfaces.is_empty() && self.interfaces.iter().all(|&known| known == OF_C10D)
    }

    /// Name of the library that was counted, in messages.
    #[must_use]
    pub fn library(&self) -> &'static str {
        if self.is_of_c10d() { "c10d" } else { "NCCL" }
    }
}
