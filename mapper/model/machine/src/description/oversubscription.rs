//! Ratios of bandwidth into switches from below to bandwidth upwards.

use std::fmt;
use std::str::FromStr;

/// How many times as much bandwidth enters the switches of a level from below as leaves them
/// upwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Oversubscription {
    /// From the leaf switches up. Levels above the last one are not oversubscribed.
    pub(super) ratios: Vec<f64>,
    /// Whether nobody told the ratios.
    is_assumed: bool,
}

/// The word for ratios that nobody told.
const UNKNOWN: &str = "unknown";

impl Oversubscription {
    /// Nobody told the ratios: all switches count as non-blocking. Of the machines whose cables are
    /// published, none has links up below 1:5, and most have 1:1.
    pub const UNKNOWN: Self = Self {
        ratios: Vec::new(),
        is_assumed: true,
    };

    /// The up-links of leaf switches have this ratio, all others 1:1.
    pub(super) fn of_leaves(ratio: f64) -> Self {
        Self {
            ratios: vec![ratio],
            is_assumed: false,
        }
    }

    /// Whether nobody told the ratios.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.is_assumed
    }

    /// The ratio of the up-links of switches at a level; leaf switches are at level 1.
    pub(super) fn at(&self, level: usize) -> f64 {
        self.ratios.get(level - 1).copied().unwrap_or(1.0)
    }

    /// The value in a machine file: the word, or a list.
    pub(super) fn in_file(&self) -> String {
        if self.is_assumed {
            return format!("{UNKNOWN:?}");
        }
        let ratios: Vec<String> = self.ratios.iter().map(|it| format!("\"{it}:1\"")).collect();
        format!("[{}]", ratios.join(", "))
    }
}

impl FromStr for Oversubscription {
    type Err = String;

    /// Reads `1:1,2:1`, from the leaf switches up, or `unknown`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == UNKNOWN {
            return Ok(Self::UNKNOWN);
        }
        Ok(Self {
            ratios: text.split(',').map(ratio).collect::<Result<_, _>>()?,
            is_assumed: false,
        })
    }
}

impl fmt::Display for Oversubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_assumed {
            return f.write_str(UNKNOWN);
        }
        let ratios: Vec<String> = self.ratios.iter().map(|it| format!("{it}:1")).collect();
        f.write_str(&ratios.join(","))
    }
}

/// Reads `2:1`, or `9:4`.
fn ratio(text: &str) -> Result<f64, String> {
    let number = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|&n: &f64| n > 0.0 && n.is_finite())
    };
    let read = text
        .split_once(':')
        .and_then(|(down, up)| Some(number(down)? / number(up)?));
    read.ok_or_else(|| {
        format!("{text:?} is no ratio of bandwidth from below to bandwidth upwards, such as 2:1")
    })
}
