//! Predicted communication time: what a user waits for.

use super::congestion::HighestCongestion;
use super::{
    AnnealAim, AnnealStart, BoundsOf, DescentAim, Judged, LinkTimes, Objective, UnknownTies,
    printed_time,
};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_graph::exchange::{ALL, DEFAULT_SHARE, PAIRWISE};
use rankfold_machine::Machine;
use rankfold_metric::time::TimeModel;

/// Times this much apart are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// Shares of the mean transfer that anneals try besides the program's own.
const VARIED_SHARES: [f64; 3] = [ALL, DEFAULT_SHARE, PAIRWISE];

/// Shortest predicted communication time.
#[derive(Debug)]
pub struct Time;

impl Objective for Time {
    fn name(&self) -> &'static str {
        "time"
    }

    fn summary(&self) -> &'static str {
        "predicted communication time: the best placements by busiest link, latency, overhead and a share of the mean transfer, and among these the best by a replay of all messages"
    }

    fn figure(&self) -> &'static str {
        "predicted time"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.time.total()
    }

    fn printed(&self, value: f64, machine: &Machine) -> String {
        printed_time(value, machine.topology().unit())
    }

    fn lower_bound(&self, bounds: &BoundsOf<'_>) -> Option<f64> {
        Some(bounds.time)
    }

    fn most_hop_bytes(&self, _: u128) -> u128 {
        u128::MAX
    }

    fn least_saving(&self) -> f64 {
        0.01
    }

    /// Anneals keep much of their start: one of them starts where congestion is low.
    fn descent<'a>(&self, _: &'a CommGraph, _: &'a Machine) -> Option<Box<dyn DescentAim + 'a>> {
        Some(Box::new(HighestCongestion {
            unknown_ties: UnknownTies::AsTimed,
        }))
    }

    fn anneal<'a>(
        &self,
        graph: &'a CommGraph,
        machine: &'a Machine,
    ) -> Option<Box<dyn AnnealAim + 'a>> {
        let model = TimeModel::new(graph, machine, graph.exchange());
        Some(Box::new(PredictedTime { model }))
    }

    fn is_predicted_time(&self) -> bool {
        true
    }

    fn is_decided_by_anneals(&self) -> bool {
        true
    }
}

struct PredictedTime<'a> {
    model: TimeModel<'a>,
}

impl AnnealAim for PredictedTime<'_> {
    /// Of the whole program, then of each phase: links are busy in a phase, not in the whole, and a
    /// placement that suits the longest phase may suit the sum of all phases.
    fn link_times(&self) -> Vec<LinkTimes<'_>> {
        let models = std::iter::once(&self.model).chain(self.model.phases());
        models.map(link_times).collect()
    }

    /// With other shares of the mean transfer. Measured in simulations: programs that exchange all
    /// at once gain from a share above 0, too, and the seed moves a result by up to a fifth.
    fn variants(&self) -> Vec<LinkTimes<'_>> {
        let own = link_times(&self.model);
        let others = VARIED_SHARES.iter();
        let others = others.filter(|&&share| share != own.transfer_share);
        others
            .map(|&transfer_share| LinkTimes {
                transfer_share,
                ..own
            })
            .collect()
    }

    fn value(&self, placement: &Placement) -> f64 {
        self.model.time(placement).formula()
    }

    /// True where no placement has a less busy link, or overhead hides it, and no search for
    /// hop-bytes found fewer.
    fn is_optimal(&self, best: &AnnealStart<'_>, congestion_bound: f64) -> bool {
        let enough = congestion_bound.max(self.model.overhead()) * (1.0 + ROUNDING);
        best.has_fewest_hop_bytes && self.model.time(best.placement).busiest_link <= enough
    }
}

fn link_times<'a>(model: &'a TimeModel<'_>) -> LinkTimes<'a> {
    LinkTimes {
        graph: model.graph(),
        transfer_share: model.s(),
        overhead: model.overhead(),
        timed: true,
        unknown_ties: UnknownTies::AsTimed,
    }
}
