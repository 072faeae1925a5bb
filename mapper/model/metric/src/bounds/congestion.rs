//! A lower bound on the highest congestion of any channel.
//!
//! Four arguments, of which the highest bound is used:
//!
//! * Some host must send or receive the bytes of one rank, except those of the ranks that fit
//!   beside it on the host.
//! * Hop-bytes load all channels together.
//! * A message between two hosts is on one channel as a whole, where messages take one path.
//! * Bytes leave [groups](super::group_cuts) of nodes, or halves of a grid, through the cuts around
//!   them.
//!
//! Each of these amounts over the bandwidth available to it is a bound. Cost: O(pairs log pairs)
//! without groups.

use super::{BoundEffort, capacities, group_cuts};
use rankfold_base::{ChannelId, Csr, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::{HEDGE, Machine, PathChoice};
use rayon::prelude::*;

/// A lower bound on the highest congestion, and the argument it is based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct CongestionBound {
    /// No placement has a lower maximum on the routes of the machine.
    pub congestion: f64,
    /// Name of the argument: `host links`, `hop-bytes`, `one message` or `cuts`.
    pub which: &'static str,
}

/// The highest of the bounds; of equal bounds the first in the order of [`CongestionBound::which`].
///
/// `hop_bytes` must be a lower bound on hop-bytes, where hops are [links](Machine::by_links). If
/// these bytes are spread evenly over all
/// channels, every channel has the congestion of the bound `hop-bytes`. With the effort
/// [`BoundEffort::Quick`] there are only the bounds by host links and by hop-bytes; `cuts` takes
/// [`BoundEffort::Standard`], and [`BoundEffort::Long`] with more than a thousand ranks. Where
/// nobody knows which way half-way ties go, a message counts the share [`HEDGE`] that predicted
/// times count.
#[must_use]
pub fn congestion_bound(
    graph: &CommGraph,
    machine: &Machine,
    hop_bytes: u128,
    effort: BoundEffort,
) -> CongestionBound {
    let leaving = machine.topology().leaving();
    let nodes = machine.slots().nodes();
    let widest = leaving[..nodes].iter().copied().fold(0.0, f64::max);
    let all: f64 = leaving.iter().sum();
    let over = |bytes: u128, bandwidth: f64| match bytes {
        0 => 0.0,
        bytes => bytes as f64 / bandwidth,
    };
    let message = match effort {
        BoundEffort::Quick => 0.0,
        _ => one_message(graph, machine),
    };
    let cuts = if group_cuts::is_worth(graph.ranks(), effort) {
        group_cuts::congestion(&graph.affinity(), machine, effort)
    } else {
        0.0
    };
    let bounds = [
        (
            "host links",
            over(through_a_host(graph, machine).into(), widest),
        ),
        ("hop-bytes", over(hop_bytes, all)),
        ("one message", message),
        ("cuts", cuts),
    ];
    let higher = |best: CongestionBound, next: CongestionBound| {
        if next.congestion > best.congestion {
            next
        } else {
            best
        }
    };
    let bounds = bounds.map(|(which, congestion)| CongestionBound { congestion, which });
    bounds[1..].iter().copied().fold(bounds[0], higher)
}

/// The congestion by the heaviest message that cannot stay on its node, on the fastest channel.
fn one_message(graph: &CommGraph, machine: &Machine) -> f64 {
    let topology = machine.topology();
    let share = match topology.path_choice() {
        PathChoice::Fixed => 1.0,
        PathChoice::Unknown => HEDGE,
        PathChoice::Several => return 0.0,
    };
    let beside = capacities(machine).max().unwrap_or(0).max(1) as usize;
    let of_rank = |rank: usize| {
        let sent = graph.sent_by(Rank::at(rank)).map(|(_, bytes)| bytes);
        let mut sent: Vec<u64> = sent.collect();
        sent.sort_unstable_by(|a, b| b.cmp(a));
        sent.get(beside - 1).copied().unwrap_or(0)
    };
    let ranks = (0..graph.ranks()).into_par_iter();
    let heaviest = ranks.map(of_rank).max().unwrap_or(0);
    let channels = (0..topology.channels()).map(ChannelId::at);
    let fastest = channels
        .map(|it| topology.bandwidth(it))
        .fold(0.0, f64::max);
    if heaviest > 0 && fastest > 0.0 {
        heaviest as f64 * share / fastest
    } else {
        0.0
    }
}

/// Bytes that some node must send or receive.
fn through_a_host(graph: &CommGraph, machine: &Machine) -> u64 {
    match capacities(machine).max().unwrap_or(0) as usize {
        0 | 1 => through_a_rank(graph),
        largest => beside_others(graph, largest),
    }
}

/// Most bytes that any rank sends or receives.
fn through_a_rank(graph: &CommGraph) -> u64 {
    let mut received = vec![0; graph.ranks()];
    let mut most = 0;
    for rank in (0..graph.ranks()).map(Rank::at) {
        let mut all = 0;
        for (to, bytes) in graph.sent_by(rank) {
            all += bytes;
            received[to.index()] += bytes;
        }
        most = most.max(all);
    }
    received.into_iter().fold(most, u64::max)
}

/// Most bytes that any rank sends or receives if its `largest - 1` heaviest partners are on its
/// node.
fn beside_others(graph: &CommGraph, largest: usize) -> u64 {
    let arriving = graph.messages().map(|m| (m.to.index(), m.bytes));
    let received = Csr::grouped(graph.ranks(), arriving);
    let beyond = |mut bytes: Vec<u64>| -> u64 {
        bytes.sort_unstable_by(|a, b| b.cmp(a));
        bytes.iter().skip(largest - 1).sum()
    };
    let hosts = (0..graph.ranks()).into_par_iter().map(|rank| {
        let sent = graph.sent_by(Rank::at(rank)).map(|(_, bytes)| bytes);
        beyond(sent.collect()).max(beyond(received.row(rank).to_vec()))
    });
    hosts.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lower_bound, score};
    use proptest::prelude::*;
    use rankfold_base::Placement;
    use rankfold_graph::samples::{graph, message, star_stencil};
    use rankfold_machine::samples::machine;

    #[test]
    fn a_star_must_leave_its_host_but_for_those_beside_it() {
        let star = graph(5, (1..5).map(|to| message(0, to, 10 * to as u64)).collect());
        let bound = |cores| {
            congestion_bound(&star, &machine("tree:5", cores), 0, BoundEffort::Quick).congestion
        };
        assert_eq!([bound(1), bound(2), bound(5)], [100.0, 60.0, 0.0]);
    }

    #[test]
    fn a_periodic_grid_on_its_torus_reaches_the_bound() {
        let (ranks, torus) = (star_stencil(&[4, 4], true), machine("torus:4x4", 1));
        let bound = congestion_bound(
            &ranks,
            &torus,
            lower_bound(&ranks, &torus, BoundEffort::Fast).hop_bytes,
            BoundEffort::Standard,
        );
        let reached = score(&ranks, &torus, &Placement::block(16)).max_congestion;
        assert_eq!(bound.congestion, reached);
    }

    #[test]
    fn a_message_is_on_one_channel_as_a_whole() {
        let pair = graph(4, vec![message(0, 1, 60), message(0, 2, 10)]);
        let bound = |spec, cores| {
            let bound = congestion_bound(&pair, &machine(spec, cores), 0, BoundEffort::Fast);
            (bound.congestion, bound.which)
        };
        assert_eq!(bound("mesh:2x2", 1), (60.0, "one message"));
        assert_eq!(bound("torus:4x4", 1), (45.0, "one message"));
        assert_eq!(bound("torus:4x4/ties=+", 1), (60.0, "one message"));
        // With two slots a node, the partner of 60 bytes fits on the node of rank 0. The 10 bytes
        // to the other partner cross a link.
        assert_eq!(bound("mesh:2x2", 2), (10.0, "one message"));
    }

    proptest! {
        #[test]
        fn no_placement_is_below_the_bound(
            spec in prop::sample::select(&[
                "tree:3x4@2,1",
                "tree:3x2x2@1,2,4",
                "torus:4x3@2,1",
                "torus:4x3/ties=+",
                "torus:12",
                "mesh:3x4",
                "percs:1",
                "xgft:3,4:1,2",
                "dragonfly:2,2,1,3",
            ][..]),
            cores in 1u32..3,
            edges in prop::collection::vec((0usize..12, 0usize..12, 1u64..1 << 30), 0..40),
            order in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(),
            // The bounds of a long effort take much longer.
            effort in prop_oneof![
                9 => Just(BoundEffort::Standard),
                1 => Just(BoundEffort::Long),
            ],
        ) {
            let machine = machine(spec, cores);
            let messages = edges.into_iter().map(|(a, b, bytes)| message(a, b, bytes));
            let graph = graph(12, messages.collect());
            let placement = Placement::new(order.into_iter().map(rankfold_base::SlotId).collect());
            let hop_bytes = lower_bound(&graph, &machine, BoundEffort::Fast).hop_bytes;
            let bound =
                congestion_bound(&graph, &machine, hop_bytes, effort).congestion;
            let reached = score(&graph, &machine, &placement).max_congestion;
            prop_assert!(bound <= reached * (1.0 + 1e-12));
        }
    }
}
