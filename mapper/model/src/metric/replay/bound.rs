//! A certified lower bound on replayed times, for all placements.
//!
//! Besides the bounds on the busiest link and on overhead there are three arguments, for ranks on
//! nodes of their own. The *least time* of a message is the least latency of any link plus its
//! bytes over the greatest bandwidth of a link, or of all links that leave a node where bytes take
//! several paths.
//!
//! * A rank starts its sends one after the other. Whichever comes last takes its least time after
//!   all the rank's overhead for sends, and then its receiver is busy with it.
//! * Partner by partner, a rank has one partner at a time. A message that is not eager does not
//!   begin before both ranks have come to it. So the least times of a rank's partners add up.
//! * Partner by partner, let two ranks that send to each other enter their step at a and b. Each
//!   leaves it after the other one has entered and its message has taken its least time. So the
//!   times at which the two leave add up to a + b and both least times, at least. Over all steps,
//!   the mean time of the ranks is at least the sum of all these least times over the number of
//!   ranks. A message that is not eager and has none in return counts for both its ranks.
//!
//! Where several ranks fit on a node, no message needs to pass a link, and only the bounds on links
//! and overhead are left.
//!
//! In each exchange, no link carries anything before some message has been started and has waited
//! for the latency between two nodes that are nearest to each other, and its last byte keeps a
//! receiver busy. So that time comes on top of the bound on the busiest link, unless memory counts
//! as a link.

use super::messages::ExchangeMessage;
use super::{Exchange, ExchangeWay, ReplayModel};
use crate::ids::{ChannelId, NodeId, Rank};
use crate::machine::{Machine, PathChoice};

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
        let bandwidths: Vec<f64> = match topology.path_choice() {
            PathChoice::Fixed => channels()
                .map(|channel| topology.bandwidth(channel))
                .collect(),
            PathChoice::Several | PathChoice::Unknown => topology.leaving(),
        };
        let latencies = channels().map(|channel| topology.latency(channel));
        let greatest = bandwidths.into_iter().fold(0.0, f64::max);
        let latency = latencies.fold(f64::INFINITY, f64::min);
        Self {
            latency: if latency.is_finite() { latency } else { 0.0 },
            slowness: if greatest > 0.0 { 1.0 / greatest } else { 0.0 },
        }
    }

    fn of(&self, message: &ExchangeMessage) -> f64 {
        message.latency_factor * self.latency + message.bytes * self.slowness
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
        if machine.timing().memory.is_some() {
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
        let last_send = longest_last_send(&self.messages, least, ranks);
        let ways = self.ways.iter().map(|(way, share, _)| {
            let once = match way {
                ExchangeWay::AllAtOnce => last_send,
                ExchangeWay::PartnerByPartner => {
                    last_send.max(partner_by_partner(&self.messages, least, ranks))
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

/// The second and the third argument: the rank whose partners take longest, and the mean of all
/// ranks.
fn partner_by_partner(messages: &[ExchangeMessage], least: &LeastTime, ranks: usize) -> f64 {
    let ends = |message: &ExchangeMessage| -> (Rank, Rank) {
        let (a, b) = (message.from, message.to);
        (a.min(b), a.max(b))
    };
    let mut sorted: Vec<&ExchangeMessage> = messages.iter().collect();
    sorted.sort_by_key(|message| ends(message));
    let mut of_rank = vec![0.0; ranks];
    let mut sum = 0.0;
    for pair in sorted.chunk_by(|a, b| ends(a) == ends(b)) {
        let waiting = pair.iter().filter(|message| !message.is_eager);
        let longest = waiting.map(|message| least.of(message)).fold(0.0, f64::max);
        let (low, high) = ends(pair[0]);
        of_rank[low.index()] += longest;
        of_rank[high.index()] += longest;
        let both: f64 = match pair {
            [there, back] => least.of(there) + least.of(back),
            _ => 0.0,
        };
        sum += both.max(2.0 * longest);
    }
    let mean = sum / ranks.max(1) as f64;
    of_rank.into_iter().fold(mean, f64::max)
}
