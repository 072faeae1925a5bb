//! What can be wrong with a profile file.

use std::path::PathBuf;

/// Why a profile cannot be read or written; every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The system refused.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
