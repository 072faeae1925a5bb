//! Algorithm 2 of PTRAM: exchanges between nearby nodes that relieve the most congested link.

use super::Variant;
use super::links::{LinkLoads, LoadChange};
use rankfold_base::{ChannelId, NodeId, Rank};
use rankfold_problem::team::{Team, dealt};
use rankfold_search::irregular::bundles::Bundles;
use rayon::prelude::*;
use std::cmp::Ordering;

/// A process, the node it moves to, and the process that leaves that node in exchange; `None` where
/// the node has a free slot.
type Exchange = (Rank, NodeId, Option<Rank>);

/// An exchange with the highest congestion, and the number of links that have it, afterwards.
type RatedExchange = ((f64, usize), Exchange);

/// Repeats Algorithm 2 until no exchange helps or `rounds` exchanges are made; returns the number
/// of exchanges. The processes whose exchanges are tried are divided among the team.
pub(super) fn refine(
    bundles: &Bundles,
    variant: &Variant,
    (rounds, team): (u64, &dyn Team),
    links: &mut LinkLoads<'_>,
    node_of: &mut [NodeId],
) -> u64 {
    let mut exchanges = 0;
    while exchanges < rounds {
        let seats = ProcessSeats::new(bundles, node_of);
        let Some(best) = best_exchange(&seats, variant, links, team) else {
            break;
        };
        let (_, exchange) = best;
        let mut change = LoadChange::default();
        seats.collect(links, exchange, &mut change);
        links.apply(&change);
        let (process, node, other) = exchange;
        let left = node_of[process.index()];
        if let Some(other) = other {
            node_of[other.index()] = left;
        }
        node_of[process.index()] = node;
        exchanges += 1;
    }
    exchanges
}

/// The exchange that leads to the lowest peak, if that is below the present peak.
fn best_exchange(
    seats: &ProcessSeats<'_>,
    variant: &Variant,
    links: &LinkLoads<'_>,
    team: &dyn Team,
) -> Option<RatedExchange> {
    let order = links.order();
    let &worst = order.first()?;
    let now = variant.peak(links.peak_after(&LoadChange::default(), &order));
    let tried = |change: &mut LoadChange, process| -> Option<RatedExchange> {
        let nodes = seats.closest(links, process, variant.closest);
        let exchanges = nodes
            .iter()
            .flat_map(|&node| seats.exchanges(process, node));
        let peaks = exchanges.map(|exchange| {
            seats.collect(links, exchange, change);
            (variant.peak(links.peak_after(change, &order)), exchange)
        });
        peaks
            .filter(|exchange| lower(exchange.0, now))
            .min_by(by_peak)
    };
    let crossing = seats.crossing(links, worst);
    // A share for each process of the team suffices: only the best exchange of a share is sent.
    let best = dealt(team, team.size(), |share| {
        let mine = crossing.par_iter().skip(share).step_by(team.size());
        mine.map_init(LoadChange::default, |change, &process| {
            tried(change, process)
        })
        .flatten()
        .min_by(by_peak)
    });
    best.into_iter().flatten().min_by(by_peak)
}

fn lower(a: (f64, usize), b: (f64, usize)) -> bool {
    a.0 < b.0 || (a.0 == b.0 && a.1 < b.1)
}

fn by_peak(a: &RatedExchange, b: &RatedExchange) -> Ordering {
    a.0.0
        .total_cmp(&b.0.0)
        .then((a.0.1, a.1).cmp(&(b.0.1, b.1)))
}

/// The processes on every node.
struct ProcessSeats<'a> {
    bundles: &'a Bundles,
    node_of: &'a [NodeId],
    /// The processes on each usable node, ascending.
    on: Vec<Vec<Rank>>,
}

impl<'a> ProcessSeats<'a> {
    fn new(bundles: &'a Bundles, node_of: &'a [NodeId]) -> Self {
        let mut seats = Self {
            bundles,
            node_of,
            on: vec![Vec::new(); bundles.nodes.len()],
        };
        for process in (0..node_of.len()).map(Rank::at) {
            let at = seats.index(seats.node(process));
            seats.on[at].push(process);
        }
        seats
    }

    /// The index of a node among the usable nodes.
    fn index(&self, node: NodeId) -> usize {
        let found = self.bundles.nodes.binary_search_by_key(&node, |&(n, _)| n);
        found.expect("processes sit on usable nodes")
    }

    fn node(&self, process: Rank) -> NodeId {
        self.node_of[process.index()]
    }

    /// All exchanges that bring `process` to `node`: with each process there, or to a free slot.
    fn exchanges(&self, process: Rank, node: NodeId) -> impl Iterator<Item = Exchange> {
        let at = self.index(node);
        let is_free = self.on[at].len() < self.bundles.nodes[at].1 as usize;
        let others = self.on[at].iter().copied().map(Some);
        let others = is_free.then_some(None).into_iter().chain(others);
        others.map(move |other| (process, node, other))
    }

    /// The processes that send or receive a message across `channel`, in ascending order.
    ///
    /// Moving either end can take the message off the channel. Where routes depend on the
    /// destination and the closest nodes share a leaf switch, moving the sender changes nothing.
    fn crossing(&self, links: &LinkLoads<'_>, channel: ChannelId) -> Vec<Rank> {
        let crosses =
            |&(from, to): &(Rank, Rank)| links.crosses(self.node(from), self.node(to), channel);
        let ends = |from: usize| {
            let from = Rank::at(from);
            let messages = self
                .bundles
                .graph
                .sent_by(from)
                .map(move |(to, _)| (from, to));
            messages.filter(crosses).flat_map(|(from, to)| [from, to])
        };
        let senders = (0..self.node_of.len()).into_par_iter();
        let mut crossing: Vec<Rank> = senders.flat_map_iter(ends).collect();
        crossing.sort_unstable();
        crossing.dedup();
        crossing
    }

    /// The k nodes closest to the node of a process; of equally close nodes the one nearer in
    /// number, then the lower one.
    fn closest(&self, links: &LinkLoads<'_>, process: Rank, k: usize) -> Vec<NodeId> {
        let own = self.node(process);
        let others = self.bundles.nodes.iter().map(|&(node, _)| node);
        let mut others: Vec<NodeId> = others.filter(|&node| node != own).collect();
        let distance = |node: &NodeId| (links.hops(own, *node), own.0.abs_diff(node.0), *node);
        if others.len() > k {
            others.select_nth_unstable_by_key(k, distance);
            others.truncate(k);
        }
        others.sort_unstable_by_key(distance);
        others
    }

    /// Collects the traffic that an exchange changes.
    fn collect(
        &self,
        links: &LinkLoads<'_>,
        (process, node, other): Exchange,
        change: &mut LoadChange,
    ) {
        change.clear();
        let left = self.node(process);
        let after = |who: Rank| match who {
            _ if who == process => node,
            _ if Some(who) == other => left,
            _ => self.node(who),
        };
        for moved in std::iter::once(process).chain(other) {
            for (partner, both) in self.bundles.affinity.partners(moved) {
                if Some(partner) == other && moved == process {
                    continue; // the other process of the exchange counts this pair
                }
                let sent = self.bundles.graph.bytes(moved, partner) as i64;
                let received = both as i64 - sent;
                for (from, to, bytes) in [(moved, partner, sent), (partner, moved, received)] {
                    if bytes > 0 {
                        links.send(change, self.node(from), self.node(to), -bytes);
                        links.send(change, after(from), after(to), bytes);
                    }
                }
            }
        }
    }
}
