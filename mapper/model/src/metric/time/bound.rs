//! A certified lower bound on the predicted time: no placement of this graph on this machine takes
//! less.
//!
//! The bound is the total of bounds on the parts, with none of which it shrinks and each of which
//! holds for every placement:
//!
//! * `Lmax` is at least the [bound on congestion](crate::metric::congestion_bound): what some node
//!   must send or receive, and hop-bytes spread over all channels. Where memory is a link, all
//!   bytes spread over all channels and memories is another: a byte between nodes crosses at least
//!   as many links as the nearest two nodes are apart.
//! * `H`: of the ranks a rank sends to, no more have room within h hops than there are slots, so
//!   the one that comes next by messages is h + 1 hops away at least, whose latencies are no less
//!   than the least of any link.
//! * `O` is the same for all placements.
//! * `SF`: every hop of a pair costs at least its bytes over the greatest bandwidth and its
//!   messages times the least latency of any link. With these costs for bytes, it is the bound on
//!   hop-bytes over the ranks. Where memory is a link, a byte costs at least what is less of memory
//!   and the shortest way out.
//!
//! It holds but for the rounding of floating-point sums.

use super::{Time, TimeModel};
use crate::comm::CommGraph;
use crate::ids::{ChannelId, NodeId, Rank};
use crate::machine::Machine;
use crate::metric::{congestion_bound, lower_bound};
use rayon::prelude::*;

/// What is known of the graph as it is, whose bytes are not weighed by size.
#[derive(Clone, Copy, Debug)]
pub struct KnownBounds {
    /// No placement has fewer hop-bytes.
    pub hop_bytes: u128,
    /// No placement has a lower highest congestion.
    pub congestion: f64,
}

/// The fastest of all links.
struct Fastest {
    bandwidth: f64,
    latency: f64,
    /// Bandwidth of all channels together.
    all: f64,
}

impl TimeModel<'_> {
    /// A time whose parts, and so whose total, no placement is below.
    #[must_use]
    pub fn lower_bound(&self, known: KnownBounds) -> Time {
        if !self.phases.is_empty() {
            let phases = self.phases.iter();
            return Time::of_phases(
                phases.map(|phase| phase.lower_bound(weighed(phase.graph(), self.machine))),
            );
        }
        let graph = self.graph();
        let fastest = fastest(self.machine);
        let KnownBounds {
            hop_bytes,
            congestion,
        } = match self.is_nominal() {
            true => known,
            false => weighed(graph, self.machine),
        };
        let (busiest, moved) = self.through_memory(&fastest);
        let ranks = graph.ranks().max(1) as f64;
        let transfer = match fastest.latency > 0.0 {
            true => transfer(graph, self.machine, &fastest),
            false if hop_bytes > 0 => hop_bytes as f64 / fastest.bandwidth,
            false => 0.0,
        };
        Time {
            busiest_link: congestion.max(busiest),
            latency: latency(graph, self.machine, fastest.latency),
            overhead: self.overhead(),
            mean_transfer: transfer.max(moved) / ranks,
            s: self.s(),
            unit: self.unit(),
        }
    }

    /// Bounds on the busiest of all links and memories, and on the time of all bytes; 0 without
    /// memory.
    fn through_memory(&self, fastest: &Fastest) -> (f64, f64) {
        let Some(memory) = self.machine.timing().memory else {
            return (0.0, 0.0);
        };
        let bytes = self.graph().total_bytes() as f64;
        let pairs = self.machine.topology().distance_profile().pairs;
        let nearest = pairs.iter().position(|&count| count > 0).unwrap_or(1) as f64;
        let memories = memory * self.machine.slots().nodes() as f64;
        let out = match fastest.bandwidth > 0.0 {
            true => nearest / fastest.bandwidth,
            false => f64::INFINITY,
        };
        let busiest = bytes / (memories + fastest.all / nearest);
        (busiest, bytes * out.min(1.0 / memory))
    }
}

/// What [`KnownBounds`] is of a graph whose bytes are weighed.
fn weighed(graph: &CommGraph, machine: &Machine) -> KnownBounds {
    let hop_bytes = lower_bound(graph, machine).hop_bytes;
    KnownBounds {
        hop_bytes,
        congestion: congestion_bound(graph, machine, hop_bytes).congestion,
    }
}

fn fastest(machine: &Machine) -> Fastest {
    let topology = machine.topology();
    let channels = || (0..topology.channels()).map(ChannelId::at);
    let latencies = channels().map(|c| topology.latency(c));
    let least = latencies.fold(f64::INFINITY, f64::min);
    Fastest {
        bandwidth: channels()
            .map(|c| topology.bandwidth(c))
            .fold(0.0, f64::max),
        latency: if least.is_finite() { least } else { 0.0 },
        all: channels().map(|c| topology.bandwidth(c)).sum(),
    }
}

/// Seconds for all messages to cross every link on their way: the bound on hop-bytes, with seconds
/// a hop for bytes.
fn transfer(graph: &CommGraph, machine: &Machine, fastest: &Fastest) -> f64 {
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
    // As fine as whole numbers allow; each is off by one at most, for as many hops as there are.
    let fine = (1u64 << 61) as f64 / all;
    let costs = graph.reweighed(|bytes, messages| {
        let cost = (a_hop(bytes, messages) * fine).round().max(1.0) as u64;
        (cost, messages)
    });
    let off = graph.pairs() as u128 * u128::from(machine.topology().diameter());
    lower_bound(&costs, machine).hop_bytes.saturating_sub(off) as f64 / fine
}

/// Of any rank's partners, how long the one waits that finds no room nearer.
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

/// The share of a value that any placement could save at most, given what no placement is below: 1
/// - bound / value, from 0 to 1.
///
/// ```
/// use rankfold_model::metric::time::still_to_gain;
/// assert_eq!(still_to_gain(4.0, 3.0), 0.25);
/// assert_eq!(still_to_gain(0.0, 0.0), 0.0);
/// ```
#[must_use]
pub fn still_to_gain(value: f64, lower_bound: f64) -> f64 {
    match value > 0.0 {
        true => ((value - lower_bound) / value).clamp(0.0, 1.0),
        false => 0.0,
    }
}
