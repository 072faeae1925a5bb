//! Reads the table `[time]` of a machine file.

use super::super::{BySize, EAGER_LIMIT, Sharing, SizeRow, Timing};
use super::SpanError;
use crate::network::Unit;
use crate::network::speed::{self, Speed, Speeds};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// The table as TOML. Numbers are in bytes per second or seconds; texts have a unit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Time {
    bandwidth: Option<Spanned<EachKind>>,
    latency: Option<Spanned<EachKind>>,
    overhead: Option<Spanned<Quantity>>,
    memory: Option<Spanned<Quantity>>,
    #[serde(default)]
    sizes: Vec<Spanned<SizeRow>>,
    /// The largest message in bytes that is sent before its receiver is ready.
    eager: Option<u64>,
    sharing: Option<Sharing>,
}

/// One quantity for each kind of link, or one for all links.
#[derive(Deserialize)]
#[serde(untagged)]
enum EachKind {
    All(Quantity),
    Each(Vec<Quantity>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Quantity {
    Plain(f64),
    WithUnit(String),
}

impl EachKind {
    fn read(&self, read: impl Fn(&Quantity) -> Result<f64, String>) -> Result<Vec<f64>, String> {
        match self {
            Self::All(one) => Ok(vec![read(one)?]),
            Self::Each(several) => several.iter().map(read).collect(),
        }
    }
}

impl Quantity {
    /// The bandwidth in bytes per second.
    fn bandwidth(&self) -> Result<f64, String> {
        let (bandwidth, unit) = match self {
            Self::Plain(bytes) => speed::read_bandwidth(&format!("{bytes}B/s"))?,
            Self::WithUnit(text) => speed::read_bandwidth(text)?,
        };
        match unit {
            Unit::Seconds => Ok(bandwidth),
            Unit::BytesOverOneLink => {
                Err(format!("bandwidth {bandwidth} needs a unit such as GB/s"))
            }
        }
    }

    /// The time in seconds.
    fn time(&self) -> Result<f64, String> {
        match self {
            Self::Plain(seconds) => speed::read_time(&format!("{seconds}s")),
            Self::WithUnit(text) => speed::read_time(text),
        }
    }
}

/// Adds the position in the text to an error.
fn at<T>(span: Range<usize>, read: Result<T, String>) -> Result<T, SpanError> {
    read.map_err(|problem| (Some(span), format!("[time]: {problem}")))
}

impl Time {
    /// The speeds of all kinds of links; `None` if no bandwidth is given.
    pub(super) fn speeds(&self) -> Result<Option<Speeds>, SpanError> {
        let latency = match &self.latency {
            Some(given) => at(given.span(), given.get_ref().read(Quantity::time))?,
            None => vec![0.0],
        };
        let Some(given) = &self.bandwidth else {
            return match &self.latency {
                Some(latency) => at(
                    latency.span(),
                    Err("latency needs bandwidth beside it".into()),
                ),
                None => Ok(None),
            };
        };
        let bandwidth = at(given.span(), given.get_ref().read(Quantity::bandwidth))?;
        let kinds = bandwidth.len().max(latency.len());
        if kinds == 0
            || [bandwidth.len(), latency.len()]
                .iter()
                .any(|&n| n != 1 && n != kinds)
        {
            let problem = "give as many latencies as bandwidths, or one for all kinds of link";
            return at(given.span(), Err(problem.into()));
        }
        let of = |list: &[f64], kind: usize| list[kind.min(list.len() - 1)];
        Ok(Some(Speeds {
            of: (0..kinds)
                .map(|kind| Speed {
                    bandwidth: of(&bandwidth, kind),
                    latency: of(&latency, kind),
                })
                .collect(),
            unit: Unit::Seconds,
        }))
    }

    /// The times besides bandwidth and latency of links, for links with speeds in `unit`.
    pub(super) fn timing(&self, unit: Unit) -> Result<Timing, SpanError> {
        let given = [&self.overhead, &self.memory];
        if let (Unit::BytesOverOneLink, Some(given)) = (unit, given.into_iter().flatten().next()) {
            let problem = "overhead and memory need links with a bandwidth in bytes per second";
            return at(given.span(), Err(problem.into()));
        }
        let overhead = self
            .overhead
            .as_ref()
            .map(|o| at(o.span(), o.get_ref().time()));
        let memory = self
            .memory
            .as_ref()
            .map(|m| at(m.span(), m.get_ref().bandwidth()));
        let rows = self.sizes.iter().map(|row| *row.get_ref()).collect();
        Ok(Timing {
            overhead: overhead.transpose()?.unwrap_or(0.0),
            memory: memory.transpose()?,
            by_size: BySize::new(rows).map_err(|(row, problem)| {
                (
                    Some(self.sizes[row].span()),
                    format!("[time] sizes: {problem}"),
                )
            })?,
            sharing: self.sharing,
            eager_limit: self.eager.unwrap_or(EAGER_LIMIT),
        })
    }
}
