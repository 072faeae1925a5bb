//! The waits of pairs of ranks: how long their messages are under way because of links' latencies.

use super::peers::Peer;
use super::routes::Routes;
use rankfold_base::{ChannelId, Csr, Rank};
use rankfold_graph::CommGraph;
use rankfold_machine::{Topology, Unit};

/// The messages of all pairs, the latencies of all links, and the sum of all waits.
pub(crate) struct PairWaits {
    latency: Latency,
    /// The number of messages to and from every peer of every rank, in the order of
    /// [`LinkBoard::peers`](super::LinkBoard); empty where no link has a latency.
    messages: Csr<(f64, f64)>,
    /// The waits of all pairs, added up, before the open move.
    pub(crate) sum: f64,
    /// The waits of the pairs whose route the open move changes: those before the move, negative,
    /// and those after it.
    pub(crate) changes: Vec<f64>,
}

/// The latencies of the network's links.
enum Latency {
    /// All latencies are 0, unknown or not asked for.
    Zero,
    /// All links have this latency.
    Alike(f64),
    Each(Vec<f64>),
}

impl PairWaits {
    /// The waits of a graph on a network; all are 0 unless `timed`.
    pub(crate) fn new(
        graph: &CommGraph,
        topology: &dyn Topology,
        peers: &Csr<Peer>,
        timed: bool,
    ) -> Self {
        let latency = if timed {
            Latency::of(topology)
        } else {
            Latency::Zero
        };
        let known = !matches!(latency, Latency::Zero);
        Self {
            messages: if known {
                messages(graph, peers)
            } else {
                Csr::default()
            },
            latency,
            sum: 0.0,
            changes: Vec::new(),
        }
    }

    /// Whether any link has a latency.
    #[inline]
    pub(crate) fn known(&self) -> bool {
        !matches!(self.latency, Latency::Zero)
    }

    /// How long the messages to and from the peer at `place` of a rank's list wait, where the two
    /// ranks sit on nodes `here` and `there` and the routes there and back have so many `hops`.
    #[inline]
    pub(crate) fn of(
        &self,
        routes: &mut Routes<'_>,
        (rank, place): (u32, usize),
        (here, there): (u32, u32),
        hops: (u32, u32),
    ) -> (f64, f64) {
        let (sent, received) = self.messages.row(rank as usize)[place];
        let mut path = |from, to, hops| match &self.latency {
            Latency::Zero => 0.0,
            Latency::Alike(each) => f64::from(hops) * each,
            Latency::Each(latency) => {
                let mut sum = 0.0;
                let parts = routes.parts();
                routes.follow(from, to, |link, share| {
                    sum += latency[link as usize] * share as f64;
                });
                sum / parts as f64
            }
        };
        (
            sent * path(here, there, hops.0),
            received * path(there, here, hops.1),
        )
    }

    /// Adds the open move to the sum.
    pub(crate) fn keep(&mut self) {
        self.sum += self.change();
    }

    /// What the open move would add to the sum.
    pub(crate) fn change(&self) -> f64 {
        self.changes.iter().sum()
    }
}

impl Latency {
    fn of(topology: &dyn Topology) -> Self {
        let channels = 0..topology.channels();
        let each: Vec<f64> = channels
            .map(|c| topology.latency(ChannelId::at(c)))
            .collect();
        match each.first() {
            _ if topology.unit() != Unit::Seconds || each.iter().all(|&l| l <= 0.0) => Self::Zero,
            Some(&first) if each.iter().all(|&latency| latency == first) => Self::Alike(first),
            _ => Self::Each(each),
        }
    }
}

/// The number of messages to and from every peer of every rank.
fn messages(graph: &CommGraph, peers: &Csr<Peer>) -> Csr<(f64, f64)> {
    let mut both: Vec<Vec<(f64, f64)>> = (0..peers.rows())
        .map(|rank| vec![(0.0, 0.0); peers.row(rank).len()])
        .collect();
    let place = |rank: Rank, peer: Rank| {
        let row = peers.row(rank.index());
        row.binary_search_by_key(&peer.0, |peer| peer.rank)
            .expect("a sender is a peer of the receiver")
    };
    for from in (0..graph.ranks()).map(Rank::at) {
        for (to, _, messages) in graph.sent_with_messages(from) {
            both[from.index()][place(from, to)].0 = messages;
            both[to.index()][place(to, from)].1 = messages;
        }
    }
    both.into_iter().collect()
}
