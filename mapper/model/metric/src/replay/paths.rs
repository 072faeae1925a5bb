//! The links that the messages of a placement pass, as flows that share bandwidth.

use super::fair_shares::{FairShares, PathLink};
use super::messages::ExchangeMessage;
use rankfold_base::{ChannelId, NodeId};
use rankfold_machine::{Machine, Sharing, Topology};

/// Bytes over the bandwidth of each link count like latency in the weight of a flow. The value is
/// that of SimGrid's SMPI (option `network/weight-S`), whose authors fitted it to measured TCP and
/// packet simulations (Velho and Legrand 2009).
const WEIGHT_BYTES: f64 = 8775.0;

/// The flows of all messages, and their delays.
pub(super) struct Paths {
    pub(super) shares: FairShares,
    /// The channel that each link of `shares` is.
    pub(super) channels: Vec<ChannelId>,
    /// The flow of every message; `None` for messages inside a node.
    pub(super) flow_of: Vec<Option<u32>>,
    /// The message of every flow.
    pub(super) message_of: Vec<u32>,
    /// How long every message waits before its bytes flow: the latencies of its path, or the time
    /// in which memory takes its bytes.
    pub(super) delays: Vec<f64>,
    /// The time in which the busiest memory takes all bytes of its node.
    pub(super) busiest_memory: f64,
    /// The time in which the busiest link takes all its bytes.
    pub(super) busiest_link: f64,
}

/// Numbers the channels that are passed, in the order in which they are met.
struct LinkNumbers {
    of_channel: Vec<u32>,
    channels: Vec<ChannelId>,
    bandwidths: Vec<f64>,
}

const UNKNOWN: u32 = u32::MAX;

impl LinkNumbers {
    fn number(&mut self, channel: ChannelId, bandwidth: f64) -> u32 {
        let number = &mut self.of_channel[channel.index()];
        if *number == UNKNOWN {
            *number = self.channels.len() as u32;
            self.channels.push(channel);
            self.bandwidths.push(bandwidth);
        }
        *number
    }
}

/// The path of one message between two nodes.
#[derive(Default)]
struct Path {
    links: Vec<PathLink>,
    latency: f64,
    /// Latency and [`WEIGHT_BYTES`] over bandwidth, added up over the path: 1 / weight.
    slowness: f64,
}

impl Paths {
    /// The paths of messages between ranks on `nodes`, where entry r is the node of rank r. `None`
    /// if all paths together have more than `most_links` links.
    pub(super) fn new(
        machine: &Machine,
        messages: &[ExchangeMessage],
        nodes: &[NodeId],
        most_links: usize,
    ) -> Option<Self> {
        let topology = machine.topology();
        let mut numbers = LinkNumbers {
            of_channel: vec![UNKNOWN; topology.channels()],
            channels: Vec::new(),
            bandwidths: Vec::new(),
        };
        let (mut found, mut links) = (Vec::with_capacity(messages.len()), 0);
        for message in messages {
            let [from, to] = [message.from, message.to].map(|rank| nodes[rank.index()]);
            let path = Path::between(topology, from, to, &mut numbers);
            links += path.links.len();
            if links > most_links {
                return None;
            }
            found.push(path);
        }
        let mut busy = vec![0.0; numbers.bandwidths.len()];
        for (message, path) in messages.iter().zip(&found) {
            for &PathLink { link, share } in &path.links {
                busy[link as usize] += share * message.bytes / numbers.bandwidths[link as usize];
            }
        }
        let is_equal = machine.timing().sharing == Some(Sharing::Equal);
        let mut paths = Self {
            shares: FairShares::new(numbers.bandwidths),
            channels: numbers.channels,
            flow_of: Vec::new(),
            message_of: Vec::new(),
            delays: Vec::new(),
            busiest_memory: 0.0,
            busiest_link: busy.into_iter().fold(0.0, f64::max),
        };
        let mut in_memory = vec![0.0; machine.slots().nodes()];
        for (number, (message, path)) in (0..).zip(messages.iter().zip(&found)) {
            if path.links.is_empty() {
                let time = machine
                    .timing()
                    .memory
                    .map_or(0.0, |memory| message.bytes / memory);
                in_memory[nodes[message.from.index()].index()] += time;
                paths.flow_of.push(None);
                paths.delays.push(time);
            } else {
                let weight = if is_equal { 1.0 } else { 1.0 / path.slowness };
                let flow = paths.shares.add(weight, &path.links);
                paths.flow_of.push(Some(flow));
                paths.message_of.push(number);
                paths.delays.push(message.latency_factor * path.latency);
            }
        }
        paths.busiest_memory = in_memory.into_iter().fold(0.0, f64::max);
        Some(paths)
    }
}

impl Paths {
    /// Messages that pass no link, each of which takes the time that it is given.
    pub(super) fn alone(delays: Vec<f64>) -> Self {
        Self {
            shares: FairShares::new(Vec::new()),
            channels: Vec::new(),
            flow_of: vec![None; delays.len()],
            message_of: Vec::new(),
            delays,
            busiest_memory: 0.0,
            busiest_link: 0.0,
        }
    }
}

impl Path {
    /// Empty inside a node.
    fn between(
        topology: &dyn Topology,
        from: NodeId,
        to: NodeId,
        numbers: &mut LinkNumbers,
    ) -> Self {
        let mut path = Self::default();
        if from == to {
            return path;
        }
        topology.route_shares(from, to, &mut |channel, share| {
            let (bandwidth, latency) = (topology.bandwidth(channel), topology.latency(channel));
            path.latency += share * latency;
            path.slowness += share * (latency + WEIGHT_BYTES / bandwidth);
        });
        topology.hedged_shares(from, to, &mut |channel, share| {
            let link = numbers.number(channel, topology.bandwidth(channel));
            path.links.push(PathLink { link, share });
        });
        // Of several paths, some have channels in common: each link counts once, with all its
        // bytes.
        path.links.sort_unstable_by_key(|link| link.link);
        path.links.dedup_by(|next, kept| {
            let is_same = next.link == kept.link;
            if is_same {
                kept.share += next.share;
            }
            is_same
        });
        path
    }
}
