//! What the bandwidths of links are counted in.

use std::fmt;

/// What the numbers of a machine's links mean, and so what a predicted time is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Unit {
    /// Bandwidths are bytes per second.
    #[serde(rename = "seconds")]
    Seconds,
    /// Bandwidths are relative: a time is told as the bytes that cross one link of bandwidth 1 in
    /// it.
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
