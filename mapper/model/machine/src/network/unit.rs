//! The unit of bandwidths and times.

use schemars::JsonSchema;
use std::fmt;

/// The unit of the times that are computed from the bandwidths of links.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, JsonSchema,
)]
pub enum Unit {
    /// Bandwidths are in bytes per second, times in seconds.
    #[serde(rename = "seconds")]
    Seconds,
    /// Bandwidths are relative. A time is the number of bytes that one link of bandwidth 1
    /// transfers in it.
    #[default]
    #[serde(rename = "bytes over one link")]
    BytesOverOneLink,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seconds => "seconds",
            Self::BytesOverOneLink => "bytes over one link",
        })
    }
}
