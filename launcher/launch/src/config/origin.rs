//! Where a value comes from, and errors that name that place.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// No place gives a value.
    #[default]
    Default,
    /// A line of a configuration file, counted from 1.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line.
        line: usize,
    },
    /// An environment variable.
    Variable {
        /// Name of the variable.
        variable: String,
    },
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Self::Default => write!(f, "default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable { variable } => write!(f, "{variable}"),
        }
    }
}

impl Origin {
    /// The error about what stands there.
    pub(super) fn wrong(&self, problem: String) -> ConfigError {
        ConfigError {
            place: self.to_string(),
            problem,
        }
    }
}

/// An error in a configuration file or in a variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ConfigError {
    /// File and line, or the variable.
    pub(super) place: String,
    pub(super) problem: String,
}
