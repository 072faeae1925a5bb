//! A certified lower bound on the predicted time: no placement of this graph on this machine takes
//! less.
//!
//! Every part of the time is bounded by itself, for all placements. The total grows with every
//! part, so the total of the bounds is a bound on the total.
//!
//! * `Lmax` is at least the [bound on congestion](crate::congestion_bound). Where memory is
//!   a link, there is a second bound: all bytes spread evenly over all channels and memories. A
//!   byte between nodes then counts on as many channels as the nearest two nodes are apart.
//! * `H`: only so many ranks fit within h hops of a rank. Of the ranks it sends to, ordered by
//!   messages, the next one is at least h + 1 hops away. Every hop takes at least the least latency
//!   of any link.
//! * `O` is the same for all placements.
//! * `SF`: every hop of a pair costs at least its bytes over the greatest bandwidth plus its
//!   messages times the least latency. With these costs in place of bytes, the bound on hop-bytes
//!   applies; it is divided by the number of ranks. Where memory is a link, a byte costs at least
//!   the smaller of its time in memory and its time on the shortest way out of the node. Where
//!   bandwidths differ, a second bound looks at the bandwidths of the routes.
//!
//! The bound holds except for the rounding of floating-point sums.

use super::{Time, TimeModel, route_costs};
use crate::{BoundEffort, congestion_bound, lower_bound};
use rankfold_base::{ChannelId, NodeId, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rayon::prelude::*;

/// Bounds of a graph whose bytes are not weighted by message size.
#[derive(Clone, Copy, Debug)]
pub struct KnownBounds {
    /// No placement has fewer hop-bytes.
    pub hop_bytes: u128,
    /// No placement has a lower maximum congestion.
    pub congestion: f64,
    /// What bounds of weighted bytes are worth.
    pub effort: BoundEffort,
}

/// Best properties of all links.
struct Fastest {
    bandwidth: f64,
    latency: f64,
    /// Bandwidth of all channels together.
    all: f64,
    /// Whether bandwidths differ.
    differ: bool,
}

impl TimeModel<'_> {
    /// A time whose parts, and so whose total, no placement is below.
    #[must_use]
    pub fn lower_bound(&self, known: KnownBounds) -> Time {
        if !self.phases.is_empty() {
            let phases = self.phases.iter();
            return Time::of_phases(phases.map(|phase| {
                phase.lower_bound(weighed(phase.graph(), self.machine, known.effort))
            }));
        }
        let graph = self.graph();
        let fastest = fastest(self.machine);
        let KnownBounds {
            hop_bytes,
            congestion,
            effort,
        } = if self.is_nominal() {
            known
        } else {
            weighed(graph, self.machine, known.effort)
        };
        let (busiest, moved) = self.through_memory(&fastest);
        let ranks = graph.ranks().max(1) as f64;
        let transfer = if fastest.latency > 0.0 {
            transfer(graph, self.machine, &fastest, effort)
        } else if hop_bytes > 0 {
            hop_bytes as f64 / fastest.bandwidth
        } else {
            0.0
        };
        let is_worth_routes = fastest.differ && effort >= BoundEffort::Standard;
        let transfer = match self.machine.timing().memory {
            None if is_worth_routes => {
                transfer.max(route_costs::transfer(&graph.affinity(), self.machine))
            }
            _ => transfer,
        };
        Time {
            busiest_link: congestion.max(busiest),
            latency: latency(graph, self.machine, fastest.latency),
            overhead: self.overhead(),
            mean_transfer: transfer.max(moved) / ranks,
            s: self.s(),
            turns: self.turns(),
            unit: self.unit(),
            replayed: None,
        }
    }

    /// Bounds on the busiest link or memory, and on the transfer time of all bytes. 0 if memory is
    /// not a link.
    fn through_memory(&self, fastest: &Fastest) -> (f64, f64) {
        let Some(memory) = self.machine.timing().memory else {
            return (0.0, 0.0);
        };
        let bytes = self.graph().total_bytes() as f64;
        let pairs = self.machine.topology().distance_profile().pairs;
        let nearest = pairs.iter().position(|&count| count > 0).unwrap_or(1) as f64;
        let memories = memory * self.machine.slots().nodes() as f64;
        let out = if fastest.bandwidth > 0.0 {
            nearest / fastest.bandwidth
        } else {
            f64::INFINITY
        };
        let busiest = bytes / (memories + fastest.all / nearest);
        (busiest, bytes * out.min(1.0 / memory))
    }
}

/// Computes the [`KnownBounds`] of a graph whose bytes are weighted.
fn weighed(graph: &CommGraph, machine: &Machine, effort: BoundEffort) -> KnownBounds {
    let hop_bytes = lower_bound(graph, machine, effort).hop_bytes;
    KnownBounds {
        hop_bytes,
        congestion: congestion_bound(graph, machine, hop_bytes, effort).congestion,
        effort,
    }
}

fn fastest(machine: &Machine) -> Fastest {
    let topology = machine.topology();
    let channels = || (0..topology.channels()).map(ChannelId::at);
    let latencies = channels().map(|c| topology.latency(c));
    let least = latencies.fold(f64::INFINITY, f64::min);
    let bandwidths = || channels().map(|c| topology.bandwidth(c));
    let (greatest, smallest) = (
        bandwidths().fold(0.0, f64::max),
        bandwidths().fold(f64::INFINITY, f64::min),
    );
    Fastest {
        // Where some links do not count, only the second bound knows which.
        bandwidth: match machine.contention() {
            None => greatest,
            Some(_) => f64::INFINITY,
        },
        latency: if least.is_finite() { least } else { 0.0 },
        all: bandwidths().sum(),
        differ: smallest < greatest,
    }
}

/// Least seconds for all messages on all links of their routes: the bound on hop-bytes, with
/// seconds per hop in place of bytes.
fn transfer(graph: &CommGraph, machine: &Machine, fastest: &Fastest, effort: BoundEffort) -> f64 {
    let a_hop =
        |bytes: u64, messages: f64| bytes as f64 / fastest.bandwidth + messages * fastest.latency;
    let ranks = || (0..graph.ranks()).map(Rank::at);
    let sent = ranks().flat_map(|rank| graph.sent_with_messages(rank));
    let all: f64 = sent
        .map(|(_, bytes, messages)| a_hop(bytes, messages))
        .sum();
    if all <= 0.0 {
        return 0.0;
    }
    // Costs are as fine as 64-bit integers allow. Each is off by at most one, times the hops.
    let fine = (1u64 << 61) as f64 / all;
    let costs = graph.reweighed(|bytes, messages| {
        let cost = (a_hop(bytes, messages) * fine).round().max(1.0) as u64;
        (cost, messages)
    });
    let off = graph.pairs() as u128 * u128::from(machine.topology().diameter());
    lower_bound(&costs, machine, effort)
        .hop_bytes
        .saturating_sub(off) as f64
        / fine
}

/// The longest wait of any pair: for each rank, the partner that finds no room nearer.
fn latency(graph: &CommGraph, machine: &Machine, least: f64) -> f64 {
    if least <= 0.0 {
        return 0.0;
    }
    let slots = machine.slots();
    let capacities = (0..slots.nodes()).map(|n| u64::from(slots.capacity(NodeId::at(n))));
    let largest = capacities.max().unwrap_or(0);
    let mut reached = 0;
    let within: Vec<usize> = machine
        .topology()
        .distance_profile()
        .around
        .iter()
        .map(|nodes| {
            reached += nodes * largest;
            usize::try_from(reached)
                .unwrap_or(usize::MAX)
                .saturating_sub(1)
        })
        .collect();
    let of_rank = |rank: usize| {
        let sent = graph.sent_with_messages(Rank::at(rank));
        let mut messages: Vec<f64> = sent.map(|(_, _, messages)| messages).collect();
        messages.sort_unstable_by(|a, b| b.total_cmp(a));
        let waits = within.iter().zip(1u32..);
        waits
            .map_while(|(&room, hops)| Some(messages.get(room)? * f64::from(hops)))
            .fold(0.0, f64::max)
    };
    let ranks = (0..graph.ranks()).into_par_iter();
    least * ranks.map(of_rank).reduce(|| 0.0, f64::max)
}

/// The largest relative saving of any placement: 1 - bound / value, from 0 to 1. `lower_bound` must
/// be a value that no placement is below.
///
/// ```
/// use rankfold_metric::time::still_to_gain;
/// assert_eq!(still_to_gain(4.0, 3.0), 0.25);
/// assert_eq!(still_to_gain(0.0, 0.0), 0.0);
/// ```
#[must_use]
pub fn still_to_gain(value: f64, lower_bound: f64) -> f64 {
    if value > 0.0 {
        ((value - lower_bound) / value).clamp(0.0, 1.0)
    } else {
        0.0
    }
}
