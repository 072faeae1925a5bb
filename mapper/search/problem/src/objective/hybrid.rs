//! The hybrid metric of PTRAM (Mirsadeghi and Afsahi 2016, section IV.A, equation 3).

use super::{BoundsOf, ChannelSums, DescentAim, Judged, Objective};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric::{self as metric, Score};

/// Lowest hybrid metric (PTRAM 2016).
#[derive(Debug)]
pub struct Hybrid;

impl Objective for Hybrid {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn summary(&self) -> &'static str {
        "hop-bytes, highest, mean and variance of congestion in one sum (PTRAM 2016)"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.hybrid
    }

    /// The sum of the bounds of its terms; mean and variance of congestion are at least 0.
    fn lower_bound(&self, bounds: &BoundsOf<'_>) -> Option<f64> {
        let least = Score {
            hop_bytes: bounds.hop_bytes,
            max_congestion: bounds.congestion,
            ..Score::default()
        };
        let slowest = metric::slowest_bandwidth(bounds.machine.topology());
        Some(metric::hybrid(bounds.graph, &least, slowest))
    }

    fn descent<'a>(
        &self,
        graph: &'a CommGraph,
        machine: &'a Machine,
    ) -> Option<Box<dyn DescentAim + 'a>> {
        let heaviest = graph.messages().map(|message| message.bytes).max()?;
        Some(Box::new(HybridSum {
            heaviest: heaviest as f64,
            slowest: metric::slowest_bandwidth(machine.topology()),
        }))
    }
}

/// Lowers PTRAM's sum, relative to the heaviest message and the slowest link, in percent of the
/// start's hop-bytes.
#[derive(Debug)]
struct HybridSum {
    /// Bytes of the heaviest message.
    heaviest: f64,
    /// Bandwidth of the slowest link.
    slowest: f64,
}

impl DescentAim for HybridSum {
    fn energy(&self, sums: &ChannelSums) -> f64 {
        let heaviest = self.heaviest;
        let (mean, variance) = sums.mean_and_variance();
        let slowest = self.slowest;
        let sum = (sums.hop_bytes as f64 + (sums.norm() + mean) * slowest) / heaviest
            + variance * (slowest / heaviest).powi(2);
        100.0 * sum / (sums.start_hop_bytes / heaviest)
    }
}
