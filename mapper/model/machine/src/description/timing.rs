//! Times besides the bandwidths and latencies of links: overhead of messages, bandwidth of the
//! memory inside a node, and factors by the size of messages.

use schemars::JsonSchema;

/// Times of a machine besides the times of its links. By default there are none, and a message
/// takes the time of the links on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Seconds that a rank is busy with each message that it sends or receives.
    pub overhead: f64,
    /// Bytes per second that the ranks of one node can exchange through its memory; `None` for no
    /// limit.
    pub memory: Option<f64>,
    /// Bandwidth and latency by the size of messages.
    pub by_size: BySize,
    /// How messages share the bandwidth of a link; `None` where nobody tells: by path, and
    /// placements have to be good under the other rule as well.
    pub sharing: Option<Sharing>,
    /// The largest message in bytes that is sent before its receiver is ready.
    pub eager_limit: u64,
}

/// The eager limit where nobody says. The limits of MPI libraries depend on the network; this one
/// is that of the simulations that replays were compared with. Chosen by hand; not measured.
pub const EAGER_LIMIT: u64 = 1 << 16;

impl Default for Timing {
    fn default() -> Self {
        Self {
            overhead: 0.0,
            memory: None,
            by_size: BySize::default(),
            sharing: None,
            eager_limit: EAGER_LIMIT,
        }
    }
}

/// How messages that pass one link share its bandwidth.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// A message with a long path gets less than one with a short path, as round-trip times decide
    /// it in TCP. Measured in SimGrid's simulations, which do so: with equal shares predicted times
    /// are up to 7 % off on fat trees with two ranks a host.
    #[default]
    ByPath,
    /// All messages get the same, as far as other links let them: near to what switches with
    /// credits do that take one port after the other, as of InfiniBand and Slingshot.
    Equal,
}

/// Bandwidth and latency by the size of messages. A row holds from its size up to the size of the
/// next row; the first row also holds for smaller messages. Without rows, links have their nominal
/// bandwidth and latency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BySize(Vec<SizeRow>);

/// Bandwidth and latency of links for messages from some size on.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeRow {
    /// The smallest size in bytes.
    pub bytes: u64,
    /// The bandwidth, as a share of the nominal bandwidth.
    #[serde(default = "nominal")]
    pub bandwidth: f64,
    /// The latency, as a multiple of the nominal latency.
    #[serde(default = "nominal")]
    pub latency: f64,
}

fn nominal() -> f64 {
    1.0
}

impl BySize {
    /// A table of rows with rising sizes.
    ///
    /// # Errors
    /// The number of the first wrong row, counted from 0, and what is wrong with the row.
    pub fn new(rows: Vec<SizeRow>) -> Result<Self, (usize, String)> {
        for (number, row) in rows.iter().enumerate() {
            let before = number.checked_sub(1).map(|before| rows[before].bytes);
            if let Some(before) = before.filter(|&before| before >= row.bytes) {
                let problem = format!("{} bytes after {before}: sizes must rise", row.bytes);
                return Err((number, problem));
            }
            for (what, value) in [("bandwidth", row.bandwidth), ("latency", row.latency)] {
                if !(value.is_finite() && value > 0.0) {
                    return Err((number, format!("{what} {value} is not positive")));
                }
            }
        }
        Ok(Self(rows))
    }

    /// The rows, with rising sizes.
    #[must_use]
    pub fn rows(&self) -> &[SizeRow] {
        &self.0
    }

    /// The row for messages of some size; `None` if there are no rows.
    #[must_use]
    pub fn row(&self, bytes: f64) -> Option<&SizeRow> {
        let above = self.0.partition_point(|row| row.bytes as f64 <= bytes);
        self.0.get(above.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bytes: u64, bandwidth: f64, latency: f64) -> SizeRow {
        SizeRow {
            bytes,
            bandwidth,
            latency,
        }
    }

    #[test]
    fn a_row_holds_from_its_size_to_the_next() {
        let table = BySize::new(vec![row(100, 0.5, 2.0), row(1000, 0.9, 1.0)]).unwrap();
        let share = |bytes| table.row(bytes).unwrap().bandwidth;
        assert_eq!([1.0, 100.0, 999.9].map(share), [0.5; 3]);
        assert_eq!([1000.0, 1e9].map(share), [0.9; 2]);
        assert_eq!(BySize::default().row(5.0), None);
    }

    #[test]
    fn tables_that_do_not_rise_or_are_not_positive_are_refused() {
        let refused = |rows| BySize::new(rows).unwrap_err();
        let same = refused(vec![row(8, 1.0, 1.0), row(8, 1.0, 1.0)]);
        assert_eq!(same, (1, "8 bytes after 8: sizes must rise".into()));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(vec![row(8, bad, 1.0)]).1.contains("bandwidth"));
            assert!(refused(vec![row(8, 1.0, bad)]).1.contains("latency"));
        }
    }
}
