//! Messages by the function that sends them.

use serde::{Deserialize, Serialize};

/// What all ranks together have sent, or fetched, with one function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionMessages {
    /// The name in C, such as `MPI_Send`. A persistent send counts for the function that starts it.
    pub function: String,
    /// Bytes.
    pub bytes: u64,
    /// Number of messages. One call of a neighbourhood collective sends several.
    pub messages: u64,
}
