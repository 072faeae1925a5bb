//! A certified lower bound on replayed times, for all placements.
//!
//! Besides the bounds on the busiest link and on overhead there are four arguments, for ranks on
//! nodes of their own. The *least time* of a message is the least latency of any link plus its
//! bytes over the greatest bandwidth of a link, or of all links that leave a node where bytes take
//! several paths. Where nobody knows the way of half-way ties, some link carries at least the share
//! [`HEDGE`] of the bytes.
//!
//! * A rank starts its sends one after the other. Whichever comes last takes its least time after
//!   all the rank's overhead for sends, and then its receiver is busy with it.
//! * Partner by partner, a message that is not eager does not begin before both ranks have come to
//!   their step for it. So a step takes the least time of each such message, and the longest of
//!   these times add up over the steps of a rank.
//! * Partner by partner, let two ranks have no other partner in a step, and let them enter the step
//!   at a and b. Each leaves it after the other one has entered and its message has taken its least
//!   time. So the times at which the two leave add up to a + b and both least times, at least. The
//!   times of all other steps count as in the argument before. The mean time of the ranks is at
//!   least the sum of all these times over the number of ranks.
//!
//! * In turns, the exchange takes at least as long as if every message had the network for itself,
//!   took its least time and kept nobody busy.
//!
//! Where several ranks fit on a node, no message needs to pass a link, and only the bounds on links
//! and overhead are left.
//!
//! In each exchange, no link carries anything before some message has been started and has waited
//! for the latency between two nodes that are nearest to each other, and its last byte keeps a
//! receiver busy. So that time comes on top of the bound on the busiest link, unless memory counts
//! as a link.

use super::messages::ExchangeMessage;
use super::steps::Steps;
use super::{Exchange, ExchangeWay, ReplayModel, rounds};
use crate::time::{KnownBounds, Time, TimeModel};
use rankfold_base::{ChannelId, NodeId};
use rankfold_graph::CommGraph;
use rankfold_machine::{HEDGE, Machine, PathChoice};

/// What the least time of a message is made of.
struct LeastTime {
    latency: f64,
    /// Time of a byte.
    slowness: f64,
}

impl LeastTime {
    fn on(machine: &Machine) -> Self {
        let (topology, slots) = (machine.topology(), machine.slots());
        let is_alone = |node| slots.capacity(NodeId::at(node)) <= 1;
        if !(0..slots.nodes()).all(is_alone) {
            return Self {
                latency: 0.0,
                slowness: 0.0,
            };
        }
        let channels = || (0..topology.channels()).map(ChannelId::at);
        let greatest = |bandwidths: Vec<f64>| bandwidths.into_iter().fold(0.0, f64::max);
        let of_a_link = || greatest(channels().map(|it| topology.bandwidth(it)).collect());
        let (share, bandwidth) = match topology.path_choice() {
            PathChoice::Fixed => (1.0, of_a_link()),
            PathChoice::Unknown => (HEDGE, of_a_link()),
            PathChoice::Several => (1.0, greatest(topology.leaving())),
        };
        let latencies = channels().map(|channel| topology.latency(channel));
        let latency = latencies.fold(f64::INFINITY, f64::min);
        Self {
            latency: if latency.is_finite() { latency } else { 0.0 },
            slowness: if bandwidth > 0.0 {
                share / bandwidth
            } else {
                0.0
            },
        }
    }

    fn of(&self, message: &ExchangeMessage) -> f64 {
        message.latency_factor * self.latency + message.bytes * self.slowness
    }
}

/// A lower bound of every part of the predicted time, and in [`Time::replayed`] one of replays
/// where they are possible. `known` must hold for the graph and the machine.
#[must_use]
pub fn time_bound(graph: &CommGraph, machine: &Machine, known: KnownBounds) -> Time {
    let parts = TimeModel::new(graph, machine, graph.exchange()).lower_bound(known);
    let replays = ReplayModel::new(graph, machine);
    Time {
        replayed: replays.map(|replays| replays.lower_bound(parts.busiest_link)),
        ..parts
    }
}

impl ReplayModel<'_> {
    /// No placement's replay is shorter than this, if no placement's busiest link takes less than
    /// `busiest_link` in all exchanges together.
    #[must_use]
    pub fn lower_bound(&self, busiest_link: f64) -> f64 {
        let least = LeastTime::on(self.machine);
        // What the bound on the busiest link says of one phase among several is not known.
        let of_links = |exchange: &Exchange| match self.exchanges.len() {
            1 if busiest_link > 0.0 => busiest_link + exchange.before_links(self.machine),
            _ => 0.0,
        };
        let exchanges = self.exchanges.iter();
        let sum: f64 = exchanges
            .map(|exchange| exchange.lower_bound(&least, self.ranks, of_links(exchange)))
            .sum();
        sum.max(busiest_link)
    }
}

impl Exchange {
    /// The time in all exchanges during which no link carries anything.
    fn before_links(&self, machine: &Machine) -> f64 {
        if machine.timing().memory.is_some() || self.rounds.is_some() {
            return 0.0;
        }
        let topology = machine.topology();
        let channels = (0..topology.channels()).map(ChannelId::at);
        let latency = channels.map(|channel| topology.latency(channel));
        let pairs = topology.distance_profile().pairs;
        let nearest = pairs.iter().skip(1).position(|&count| count > 0);
        let hops = nearest.map_or(0.0, |hops| hops as f64 + 1.0);
        let latency = hops * latency.fold(f64::INFINITY, f64::min);
        let messages = self.messages.iter();
        let once = messages
            .map(|message| 2.0 * message.busy + message.latency_factor * latency)
            .fold(f64::INFINITY, f64::min);
        if once.is_finite() {
            self.times * once
        } else {
            0.0
        }
    }

    fn lower_bound(&self, least: &LeastTime, ranks: usize, busiest_link: f64) -> f64 {
        if let Some(rounds) = &self.rounds {
            let all = rounds.least(self.times, |message| least.of(message));
            return all.max(self.least).max(busiest_link);
        }
        let last_send = longest_last_send(&self.messages, least, ranks);
        let ways = self.ways.iter().map(|(way, share, steps)| {
            let once = match way {
                ExchangeWay::AllAtOnce => last_send,
                ExchangeWay::InTurns(_) => {
                    let course = rounds::alone(&self.messages, steps, |it| least.of(it));
                    let ends = course.iter().flat_map(|course| &course.finished);
                    ends.copied().fold(last_send, f64::max)
                }
                ExchangeWay::PartnerByPartner => {
                    last_send.max(step_by_step(&self.messages, steps, least, ranks))
                }
            };
            share * (self.times * once).max(self.least).max(busiest_link)
        });
        ways.sum()
    }
}

/// The first argument, for the rank with the latest last send.
fn longest_last_send(messages: &[ExchangeMessage], least: &LeastTime, ranks: usize) -> f64 {
    let mut of_rank = vec![(0.0, f64::INFINITY); ranks];
    for message in messages {
        let (busy, last): &mut (f64, f64) = &mut of_rank[message.from.index()];
        *busy += message.busy;
        *last = last.min(least.of(message) + message.busy);
    }
    let senders = of_rank.into_iter().filter(|(_, last)| last.is_finite());
    senders.map(|(busy, last)| busy + last).fold(0.0, f64::max)
}

/// The second and the third argument: the rank whose steps take longest, and the mean of all ranks.
fn step_by_step(
    messages: &[ExchangeMessage],
    steps: &Steps,
    least: &LeastTime,
    ranks: usize,
) -> f64 {
    let least_time = |message: &u32| least.of(&messages[*message as usize]);
    let (mut longest, mut sum) = (0.0f64, 0.0);
    for rank in 0..ranks {
        let mut of_rank = 0.0;
        for step in steps.of(rank) {
            let both = steps.messages(step);
            let waiting = both.clone().filter(|&&it| !messages[it as usize].is_eager);
            let alone = waiting.map(least_time).fold(0.0, f64::max);
            of_rank += alone;
            let shared: f64 = if is_of_two(step, messages, steps) {
                both.map(least_time).sum::<f64>() / 2.0
            } else {
                0.0
            };
            sum += shared.max(alone);
        }
        longest = longest.max(of_rank);
    }
    longest.max(sum / ranks.max(1) as f64)
}

/// Whether a rank sends one message in a step and receives one from the same rank, and that rank
/// does the same in its step.
fn is_of_two(step: u32, messages: &[ExchangeMessage], steps: &Steps) -> bool {
    let only = |step: u32| match (
        steps.sends.row(step as usize),
        steps.receives.row(step as usize),
    ) {
        (&[sent], &[received]) => Some((sent, received)),
        _ => None,
    };
    only(step).is_some_and(|(sent, received)| {
        messages[sent as usize].to == messages[received as usize].from
            && only(steps.send_step[received as usize]) == Some((received, sent))
    })
}
