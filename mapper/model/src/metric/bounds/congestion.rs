//! A lower bound on the highest congestion of any channel.
//!
//! Idea: some host must send or receive the bytes of one rank, except those of the ranks that fit
//! beside it on the host; and hop-bytes load all channels together. Either amount over the
//! bandwidth available is a bound. Cost: O(pairs log pairs).

use super::capacities;
use crate::comm::CommGraph;
use crate::csr::Csr;
use crate::ids::Rank;
use crate::machine::Machine;
use rayon::prelude::*;

/// A lower bound on the highest congestion, and the argument it is based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct CongestionBound {
    /// No placement has a lower maximum, whatever the routes.
    pub congestion: f64,
    /// Name of the argument: `host links` or `hop-bytes`.
    pub which: &'static str,
}

/// The higher of the two bounds; `host links` if they are equal.
///
/// `hop_bytes` must be a lower bound on hop-bytes. If these bytes are spread evenly over all
/// channels, every channel has the congestion that is returned.
#[must_use]
pub fn congestion_bound(graph: &CommGraph, machine: &Machine, hop_bytes: u128) -> CongestionBound {
    let leaving = machine.topology().leaving();
    let nodes = machine.slots().nodes();
    let widest = leaving[..nodes].iter().copied().fold(0.0, f64::max);
    let all: f64 = leaving.iter().sum();
    let over = |bytes: u128, bandwidth: f64| match bytes {
        0 => 0.0,
        bytes => bytes as f64 / bandwidth,
    };
    let hosts = over(through_a_host(graph, machine).into(), widest);
    let spread = over(hop_bytes, all);
    if spread > hosts {
        CongestionBound {
            congestion: spread,
            which: "hop-bytes",
        }
    } else {
        CongestionBound {
            congestion: hosts,
            which: "host links",
        }
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
    use crate::metric::{BoundEffort, lower_bound, score};
    use crate::placement::Placement;
    use crate::samples::{graph, machine, message, star_stencil};
    use proptest::prelude::*;

    #[test]
    fn a_star_must_leave_its_host_but_for_those_beside_it() {
        let star = graph(5, (1..5).map(|to| message(0, to, 10 * to as u64)).collect());
        let bound = |cores| congestion_bound(&star, &machine("tree:5", cores), 0).congestion;
        assert_eq!([bound(1), bound(2), bound(5)], [100.0, 60.0, 0.0]);
    }

    #[test]
    fn a_periodic_grid_on_its_torus_reaches_the_bound() {
        let (ranks, torus) = (star_stencil(&[4, 4], true), machine("torus:4x4", 1));
        let bound = congestion_bound(
            &ranks,
            &torus,
            lower_bound(&ranks, &torus, BoundEffort::Fast).hop_bytes,
        );
        let reached = score(&ranks, &torus, &Placement::block(16)).max_congestion;
        assert_eq!(bound.congestion, reached);
    }

    proptest! {
        #[test]
        fn no_placement_is_below_the_bound(
            spec in prop::sample::select(&["tree:3x4@2,1", "torus:4x3@2,1", "percs:1", "xgft:3,4:1,2"][..]),
            cores in 1u32..3,
            edges in prop::collection::vec((0usize..12, 0usize..12, 1u64..1 << 30), 0..40),
            order in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let machine = machine(spec, cores);
            let messages = edges.into_iter().map(|(a, b, bytes)| message(a, b, bytes));
            let graph = graph(12, messages.collect());
            let placement = Placement::new(order.into_iter().map(crate::ids::SlotId).collect());
            let hop_bytes = lower_bound(&graph, &machine, BoundEffort::Fast).hop_bytes;
            let bound = congestion_bound(&graph, &machine, hop_bytes).congestion;
            let reached = score(&graph, &machine, &placement).max_congestion;
            prop_assert!(bound <= reached * (1.0 + 1e-12));
        }
    }
}
