//! The refinement: exchanges between nearby nodes that take traffic off the most congested link.

use super::Variant;
use super::links::{Change, Links};
use crate::irregular::bundles::Bundles;
use rankfold_model::ids::{ChannelId, NodeId, Rank};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Closest nodes tried for each process; footnote 2 of the paper.
const CLOSEST: usize = 7;

/// An exchange of a process with whatever a node holds: the peak it leads to, the process and the node.
type RatedExchange = ((f64, usize), Rank, NodeId);

/// Algorithm 2, repeated until nothing improves or the variant has enough; the number of exchanges.
pub(super) fn refine(
    bundles: &Bundles,
    variant: &Variant,
    links: &mut Links<'_>,
    node_of: &mut [NodeId],
) -> u64 {
    let mut exchanges = 0;
    while exchanges < variant.rounds() {
        let seats = Seats::new(bundles, node_of);
        let Some(best) = best_exchange(&seats, variant, links) else {
            break;
        };
        let (_, process, node) = best;
        let mut change = Change::default();
        seats.collect(links, process, node, &mut change);
        links.apply(&change);
        let left = node_of[process.index()];
        if let Some(other) = seats.process_on(node) {
            node_of[other.index()] = left;
        }
        node_of[process.index()] = node;
        exchanges += 1;
    }
    exchanges
}

/// The exchange with the lowest peak below the present one; the lowest process, then node, of equals.
fn best_exchange(seats: &Seats<'_>, variant: &Variant, links: &Links<'_>) -> Option<RatedExchange> {
    let order = links.order();
    let &worst = order.first()?;
    let now = variant.peak(links.peak_after(&Change::default(), &order));
    let tried = |change: &mut Change, process| -> Option<RatedExchange> {
        let nodes = seats.closest(links, process);
        let peaks = nodes.into_iter().map(|node| {
            seats.collect(links, process, node, change);
            let peak = variant.peak(links.peak_after(change, &order));
            (peak, process, node)
        });
        peaks
            .filter(|exchange| lower(exchange.0, now))
            .min_by(by_peak)
    };
    seats
        .crossing(links, worst)
        .into_par_iter()
        .map_init(Change::default, tried)
        .flatten()
        .min_by(by_peak)
}

fn lower(a: (f64, usize), b: (f64, usize)) -> bool {
    a.0 < b.0 || (a.0 == b.0 && a.1 < b.1)
}

fn by_peak(a: &RatedExchange, b: &RatedExchange) -> Ordering {
    a.0.0
        .total_cmp(&b.0.0)
        .then((a.0.1, a.1, a.2).cmp(&(b.0.1, b.1, b.2)))
}

/// Who sits where.
struct Seats<'a> {
    bundles: &'a Bundles,
    node_of: &'a [NodeId],
    /// Usable nodes and their processes.
    on: Vec<(NodeId, Option<Rank>)>,
}

impl<'a> Seats<'a> {
    fn new(bundles: &'a Bundles, node_of: &'a [NodeId]) -> Self {
        let mut on: Vec<(NodeId, Option<Rank>)> =
            bundles.nodes.iter().map(|&node| (node, None)).collect();
        for (process, node) in node_of.iter().enumerate() {
            let at = bundles.nodes.binary_search(node);
            on[at.expect("processes sit on usable nodes")].1 = Some(Rank::at(process));
        }
        Self {
            bundles,
            node_of,
            on,
        }
    }

    fn node(&self, process: Rank) -> NodeId {
        self.node_of[process.index()]
    }

    fn process_on(&self, node: NodeId) -> Option<Rank> {
        let at = self.bundles.nodes.binary_search(&node).ok()?;
        self.on[at].1
    }

    /// Processes that send something across `channel`, ascending.
    fn crossing(&self, links: &Links<'_>, channel: ChannelId) -> Vec<Rank> {
        let crosses = |&process: &Rank| {
            let mut receivers = self.bundles.graph.sent_by(process);
            receivers.any(|(to, _)| links.crosses(self.node(process), self.node(to), channel))
        };
        (0..self.node_of.len())
            .into_par_iter()
            .map(Rank::at)
            .filter(crosses)
            .collect()
    }

    fn closest(&self, links: &Links<'_>, process: Rank) -> Vec<NodeId> {
        let own = self.node(process);
        let mut others: Vec<NodeId> = self.bundles.nodes.clone();
        others.retain(|&node| node != own);
        let far = |node: &NodeId| (links.hops(own, *node), *node);
        if others.len() > CLOSEST {
            others.select_nth_unstable_by_key(CLOSEST, far);
            others.truncate(CLOSEST);
        }
        others.sort_unstable_by_key(far);
        others
    }

    /// The traffic that changes when `process` and whatever `node` holds change places.
    fn collect(&self, links: &Links<'_>, process: Rank, node: NodeId, change: &mut Change) {
        change.clear();
        let (left, other) = (self.node(process), self.process_on(node));
        let after = |who: Rank| match who {
            _ if who == process => node,
            _ if Some(who) == other => left,
            _ => self.node(who),
        };
        for moved in std::iter::once(process).chain(other) {
            for (partner, both) in self.bundles.affinity.partners(moved) {
                if Some(partner) == other && moved == process {
                    continue; // comes up again from the other side
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
