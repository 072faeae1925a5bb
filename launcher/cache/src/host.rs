//! A host of a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A host of an allocation, as the launcher calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Name of the host.
    pub name: String,
    /// The number of ranks that the host may take, if that is known.
    pub slots: Option<u32>,
}
