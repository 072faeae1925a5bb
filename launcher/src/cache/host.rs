//! A host of a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A host of an allocation, as the launcher calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Host {
    /// Name of the host.
    pub(crate) name: String,
    /// The number of ranks that the host may take, if that is known.
    pub(crate) slots: Option<u32>,
}
