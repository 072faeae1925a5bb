//! Congestion: the busiest channel.

use super::{
    AnnealAim, AnnealStart, BoundsOf, ChannelSums, DescentAim, Judged, LinkTimes, Objective,
    UnknownTies, printed_time,
};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_metric as metric;

/// Share of the mean transfer in the anneals: placements with fewer hop-bytes have more ways to
/// unload a channel.
const TRANSFER_SHARE: f64 = 0.25;

/// Energy of a descent's hop-bytes at its start; one channel at the highest congestion has energy
/// 1.
const HOP_BYTES_WEIGHT: f64 = 4.0;

/// Congestions this much apart are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// Lowest maximum congestion under the machine's own routing.
#[derive(Debug)]
pub struct Congestion;

impl Objective for Congestion {
    fn name(&self) -> &'static str {
        "congestion"
    }

    fn summary(&self) -> &'static str {
        "highest bytes over bandwidth of a channel, under the machine's own routing"
    }

    fn figure(&self) -> &'static str {
        "max congestion"
    }

    fn value(&self, judged: &Judged<'_>) -> f64 {
        judged.score.max_congestion
    }

    fn printed(&self, value: f64, machine: &Machine) -> String {
        printed_time(value, machine.topology().unit())
    }

    fn lower_bound(&self, bounds: &BoundsOf<'_>) -> Option<f64> {
        Some(bounds.congestion)
    }

    fn descent<'a>(&self, _: &'a CommGraph, _: &'a Machine) -> Option<Box<dyn DescentAim + 'a>> {
        Some(Box::new(HighestCongestion {
            unknown_ties: UnknownTies::Upwards,
        }))
    }

    fn anneal<'a>(
        &self,
        graph: &'a CommGraph,
        machine: &'a Machine,
    ) -> Option<Box<dyn AnnealAim + 'a>> {
        Some(Box::new(BusiestChannel { graph, machine }))
    }
}

/// Lowers the highest congestion of any channel, and hop-bytes a little.
#[derive(Debug)]
pub(super) struct HighestCongestion {
    pub(super) unknown_ties: UnknownTies,
}

impl DescentAim for HighestCongestion {
    fn energy(&self, sums: &ChannelSums) -> f64 {
        sums.powers + HOP_BYTES_WEIGHT * sums.hop_bytes as f64 / sums.start_hop_bytes
    }

    fn rating(&self, _: &ChannelSums, highest: f64) -> f64 {
        highest
    }

    fn unknown_ties(&self) -> UnknownTies {
        self.unknown_ties
    }
}

struct BusiestChannel<'a> {
    graph: &'a CommGraph,
    machine: &'a Machine,
}

impl AnnealAim for BusiestChannel<'_> {
    fn link_times(&self) -> Vec<LinkTimes<'_>> {
        vec![LinkTimes {
            graph: self.graph,
            transfer_share: TRANSFER_SHARE,
            overhead: 0.0,
            timed: false,
            unknown_ties: UnknownTies::Upwards,
        }]
    }

    fn value(&self, placement: &Placement) -> f64 {
        let nodes = placement.nodes(self.machine.slots());
        let flows = metric::NodeFlows::new(self.graph, &nodes);
        metric::Congestion::of(&metric::routed_loads(self.machine.topology(), &flows)).max
    }

    fn is_optimal(&self, best: &AnnealStart<'_>, congestion_bound: f64) -> bool {
        best.value <= congestion_bound * (1.0 + ROUNDING)
    }

    fn keeps_only_gains(&self) -> bool {
        true
    }
}
