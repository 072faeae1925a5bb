//! Latencies on the way, where any link has one: how long the messages of every pair wait for
//! links.

use super::peers::Peer;
use super::routes::Routes;
use rankfold_model::Csr;
use rankfold_model::comm::CommGraph;
use rankfold_model::ids::{ChannelId, Rank};
use rankfold_model::machine::{Topology, Unit};

/// Messages of all pairs and latencies of all links.
pub(in crate::refine) struct Waits {
    latency: Latency,
    /// Messages sent to and received from every peer, in the order of the list of peers; no
    /// rows without latencies.
    messages: Csr<(f64, f64)>,
    /// Of all pairs together, before the open move.
    pub(in crate::refine) sum: f64,
    /// Of the pairs whose way the open move changes: as they were, negative, and as they are.
    pub(in crate::refine) changes: Vec<f64>,
}

/// Of the network's links.
enum Latency {
    /// Unknown, or all are 0.
    Zero,
    /// The same for all links.
    Alike(f64),
    Each(Vec<f64>),
}

impl Waits {
    /// None of them unless `timed`.
    pub(in crate::refine) fn new(
        graph: &CommGraph,
        topology: &dyn Topology,
        peers: &Csr<Peer>,
        timed: bool,
    ) -> Self {
        let latency = match timed {
            true => Latency::of(topology),
            false => Latency::Zero,
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
    pub(in crate::refine) fn known(&self) -> bool {
        !matches!(self.latency, Latency::Zero)
    }

    /// How long messages to and from a rank's peer wait, between nodes `here` and `there` whose
    /// ways there and back have so many `hops`.
    #[inline]
    pub(in crate::refine) fn of(
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
                routes.follow(from, to, |link| sum += latency[link as usize]);
                sum
            }
        };
        (
            sent * path(here, there, hops.0),
            received * path(there, here, hops.1),
        )
    }

    /// Carries the open move out.
    pub(in crate::refine) fn keep(&mut self) {
        self.sum += self.change();
    }

    /// What the open move adds to the sum.
    pub(in crate::refine) fn change(&self) -> f64 {
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

/// Messages to and from every peer.
fn messages(graph: &CommGraph, peers: &Csr<Peer>) -> Csr<(f64, f64)> {
    let mut both: Vec<Vec<(f64, f64)>> = (0..peers.rows())
        .map(|rank| vec![(0.0, 0.0); peers.row(rank).len()])
        .collect();
    let place = |rank: Rank, peer: Rank| {
        let row = peers.row(rank.index());
        row.binary_search_by_key(&peer.0, |peer| peer.rank)
            .expect("who sends is a peer")
    };
    for from in (0..graph.ranks()).map(Rank::at) {
        for (to, _, messages) in graph.sent_with_messages(from) {
            both[from.index()][place(from, to)].0 = messages;
            both[to.index()][place(to, from)].1 = messages;
        }
    }
    both.into_iter().collect()
}
