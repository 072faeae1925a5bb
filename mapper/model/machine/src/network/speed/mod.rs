//! Speeds of links in specs and machine files: `2`, `12.5GB/s`, `100Gbit/s+600ns`.
//!
//! A bandwidth without a unit is relative. Units are `B/s`, `kB/s`, `MB/s`, `GB/s`, `TB/s`, and the
//! same with `bit/s`, of which eight are a byte; prefixes are powers of 1000. A latency in `s`,
//! `ms`, `us` or `ns` may follow a bandwidth with a unit after a `+`; otherwise it is 0. A list of
//! speeds separated by commas has a speed for every kind of link of its family, in the order of the
//! family, or a single speed with a unit for all links.

mod units;

use super::Unit;
use rankfold_base::words::counted;
use std::fmt;
pub use units::{bandwidth_in_words, time_in_words};
pub(crate) use units::{read_bandwidth, read_time};

/// How fast a link is in each direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Bytes per second, or relative to a link of bandwidth 1.
    pub bandwidth: f64,
    /// Seconds.
    pub latency: f64,
}

impl Speed {
    /// The speed of a link of which nothing is known: relative bandwidth 1, no latency.
    pub const ONE: Self = Self::relative(1.0);

    /// The speed of a link of some relative bandwidth and without latency.
    #[must_use]
    pub const fn relative(bandwidth: f64) -> Self {
        Self {
            bandwidth,
            latency: 0.0,
        }
    }

    /// Reads a speed such as `5GB/s+500ns` or `2`, and its unit.
    ///
    /// # Errors
    /// A message that says what is wrong.
    pub fn parse(text: &str) -> Result<(Self, Unit), String> {
        speed(text)
    }

    /// The speed in the syntax of specs and machine files: `2`, or `12.5GB/s+600ns`.
    #[must_use]
    pub fn in_words(self, unit: Unit) -> String {
        match unit {
            Unit::BytesOverOneLink => self.bandwidth.to_string(),
            Unit::Seconds if self.latency == 0.0 => bandwidth_in_words(self.bandwidth),
            Unit::Seconds => format!(
                "{}+{}",
                bandwidth_in_words(self.bandwidth),
                time_in_words(self.latency)
            ),
        }
    }
}

/// The speeds of all kinds of links of a family.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Speeds {
    pub(crate) of: Vec<Speed>,
    /// Unit of all speeds.
    pub(crate) unit: Unit,
}

impl Speeds {
    /// Speeds of some relative bandwidths and without latency.
    pub(crate) fn relative(bandwidths: &[f64]) -> Self {
        Self {
            of: bandwidths.iter().copied().map(Speed::relative).collect(),
            unit: Unit::BytesOverOneLink,
        }
    }

    /// Splits `4x4@5GB/s` into the text before the first `@` and the speeds behind it, if given.
    pub(crate) fn split(text: &str) -> Result<(&str, Option<Self>), String> {
        match text.split_once('@') {
            None => Ok((text, None)),
            Some((rest, speeds)) => Ok((rest, Some(Self::parse(speeds)?))),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let read: Vec<(Speed, Unit)> = text.split(',').map(speed).collect::<Result<_, _>>()?;
        let unit = read[0].1;
        if read.iter().any(|&(_, other)| other != unit) {
            return Err(format!(
                "{text}: some bandwidths have a unit such as GB/s, some have none"
            ));
        }
        Ok(Self {
            of: read.into_iter().map(|(speed, _)| speed).collect(),
            unit,
        })
    }

    /// The speeds of some `kinds` of links, given one for each kind or one with a unit for all.
    pub(crate) fn of_kinds(self, kinds: &[&str]) -> Result<Self, String> {
        let count = kinds.len();
        self.one_each(count, || {
            format!("{} of link ({})", counted(count, "kind"), kinds.join(", "))
        })
    }

    /// The speeds of `count` dimensions or levels, given one for each or one with a unit for all.
    pub(crate) fn of_sizes(self, count: usize) -> Result<Self, String> {
        self.one_each(count, || counted(count, "size"))
    }

    fn one_each(mut self, count: usize, what: impl Fn() -> String) -> Result<Self, String> {
        match self.of.len() {
            given if given == count => {}
            1 if self.unit == Unit::Seconds => self.of = vec![self.of[0]; count],
            given => {
                return Err(format!(
                    "{} for {}: give one each, or one with a unit for all",
                    counted(given, "bandwidth"),
                    what(),
                ));
            }
        }
        Ok(self)
    }
}

/// Writes the speeds as they stand behind the `@` of a spec: one speed if all speeds are equal and
/// have a unit.
impl fmt::Display for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alike = self.of.iter().all(|speed| *speed == self.of[0]);
        let shown = match self.unit {
            Unit::Seconds if alike => &self.of[..1],
            _ => &self.of[..],
        };
        let shown: Vec<String> = shown
            .iter()
            .map(|speed| speed.in_words(self.unit))
            .collect();
        f.write_str(&shown.join(","))
    }
}

/// A speed as files list it: a number, which is a relative bandwidth, or a text.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum SpeedEntry {
    Relative(f64),
    Text(String),
}

impl SpeedEntry {
    /// The speed and its unit.
    pub(crate) fn read(&self) -> Result<(Speed, Unit), String> {
        match self {
            Self::Text(text) => speed(text),
            &Self::Relative(bandwidth) if bandwidth.is_finite() && bandwidth > 0.0 => {
                Ok((Speed::relative(bandwidth), Unit::BytesOverOneLink))
            }
            Self::Relative(bandwidth) => Err(format!("bandwidth {bandwidth} is not positive")),
        }
    }
}

/// Reads a speed such as `5GB/s+500ns` or `2`, and its unit.
pub(crate) fn speed(text: &str) -> Result<(Speed, Unit), String> {
    let (bandwidth, latency) = match latency_sign(text) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (bandwidth, unit) = read_bandwidth(bandwidth)?;
    let latency = match latency {
        None => 0.0,
        Some(text) if unit == Unit::BytesOverOneLink => {
            return Err(format!(
                "the latency {text} needs a bandwidth with a unit such as 5GB/s before it"
            ));
        }
        Some(text) => read_time(text)?,
    };
    Ok((Speed { bandwidth, latency }, unit))
}

/// Position of the first `+` that does not belong to an exponent.
fn latency_sign(text: &str) -> Option<usize> {
    let exponents =
        |at: usize| matches!(text.as_bytes().get(at.wrapping_sub(1)), Some(b'e' | b'E'));
    text.match_indices('+')
        .map(|(at, _)| at)
        .find(|&at| at > 0 && !exponents(at))
}

#[cfg(test)]
mod tests;
