//! Bytes through every channel while ranks move, exact, with a journal to take moves back.

use super::peers::{Peer, peers};
use super::routes::Routes;
use rankfold_model::Csr;
use rankfold_model::comm::CommGraph;
use rankfold_model::ids::{ChannelId, NodeId};
use rankfold_model::machine::Machine;
use rankfold_model::placement::Placement;

/// Ranks on nodes and what that puts on the channels.
pub(super) struct Loads<'a> {
    routes: Routes<'a>,
    /// Everybody each rank sends to or receives from, ascending.
    peers: Csr<Peer>,
    pub(super) node_of: Vec<u32>,
    /// Ranks on every node, in no order.
    members: Vec<Vec<u32>>,
    capacity: Vec<u32>,
    pub(super) bytes: Vec<u64>,
    /// 1 / bandwidth of every channel.
    pub(super) slowness: Vec<f64>,
    /// Bytes times channels: hop-bytes wherever routes are shortest.
    pub(super) hop_bytes: u128,
    /// Channels touched by the open move and their bytes before it.
    journal: Vec<(u32, u64)>,
    touched: Vec<u64>,
    moves: u64,
    moving: Vec<bool>,
    /// Channels passed: a measure of time no clock influences.
    pub(super) work: u64,
}

/// An exchange: ranks `ours` of node `here` go to node `there`, and `theirs` come back.
#[derive(Clone, Debug, Default)]
pub(super) struct RankExchange {
    pub(super) here: u32,
    pub(super) there: u32,
    pub(super) ours: Vec<u32>,
    pub(super) theirs: Vec<u32>,
}

impl<'a> Loads<'a> {
    /// `None` for machines whose routes cannot be remembered.
    pub(super) fn new(
        graph: &CommGraph,
        machine: &'a Machine,
        placement: &Placement,
    ) -> Option<Self> {
        let topology = machine.topology();
        let slots = machine.slots();
        let channels = topology.channels();
        let mut loads = Self {
            routes: Routes::new(topology)?,
            peers: peers(graph),
            node_of: placement.nodes(slots).into_iter().map(|n| n.0).collect(),
            members: vec![Vec::new(); slots.nodes()],
            capacity: (0..slots.nodes())
                .map(|n| slots.capacity(NodeId::at(n)))
                .collect(),
            bytes: vec![0; channels],
            slowness: (0..channels)
                .map(|c| 1.0 / topology.bandwidth(ChannelId::at(c)))
                .collect(),
            hop_bytes: 0,
            journal: Vec::new(),
            touched: vec![0; channels],
            moves: 0,
            moving: vec![false; graph.ranks()],
            work: 0,
        };
        for (rank, &node) in (0..).zip(&loads.node_of) {
            loads.members[node as usize].push(rank);
        }
        for message in graph.messages() {
            let ends = (
                loads.node_of[message.from.index()],
                loads.node_of[message.to.index()],
            );
            loads.add(ends.0, ends.1, message.bytes);
        }
        loads.journal.clear();
        Some(loads)
    }

    pub(super) fn ranks(&self) -> usize {
        self.node_of.len()
    }

    pub(super) fn peers(&self, rank: u32) -> &[Peer] {
        self.peers.row(rank as usize)
    }

    pub(super) fn members(&self, node: u32) -> &[u32] {
        &self.members[node as usize]
    }

    pub(super) fn capacity(&self, node: u32) -> u32 {
        self.capacity[node as usize]
    }

    /// Bytes over bandwidth of a channel.
    pub(super) fn congestion(&self, channel: u32) -> f64 {
        self.bytes[channel as usize] as f64 * self.slowness[channel as usize]
    }

    /// Highest congestion of any channel.
    pub(super) fn highest(&self) -> f64 {
        (0..self.bytes.len() as u32)
            .map(|c| self.congestion(c))
            .fold(0.0, f64::max)
    }

    /// Channels the open move touched, with their bytes before it.
    pub(super) fn journal(&self) -> &[(u32, u64)] {
        &self.journal
    }

    /// Visits the channels of the messages from one rank to another.
    pub(super) fn follow(&mut self, from: u32, to: u32, visit: impl FnMut(u32)) {
        let (from, to) = (self.node_of[from as usize], self.node_of[to as usize]);
        if from != to {
            self.work += u64::from(self.routes.follow(from, to, visit));
        }
    }

    /// Carries out an exchange, opening a new journal.
    pub(super) fn exchange(&mut self, exchange: &RankExchange) {
        self.moves += 1;
        self.journal.clear();
        let movers = || exchange.ours.iter().chain(&exchange.theirs).copied();
        for rank in movers() {
            self.moving[rank as usize] = true;
        }
        for rank in movers() {
            self.route_all(rank, Self::remove);
        }
        self.reseat(exchange);
        for rank in movers() {
            self.route_all(rank, Self::add);
        }
        for rank in movers() {
            self.moving[rank as usize] = false;
        }
    }

    /// Takes the last exchange back; `hop_bytes` are those before it.
    pub(super) fn undo(&mut self, exchange: RankExchange, hop_bytes: u128) {
        while let Some((channel, bytes)) = self.journal.pop() {
            self.bytes[channel as usize] = bytes;
        }
        self.hop_bytes = hop_bytes;
        self.reseat(&RankExchange {
            here: exchange.there,
            there: exchange.here,
            ..exchange
        });
    }

    fn reseat(&mut self, exchange: &RankExchange) {
        for (ranks, from, to) in [
            (&exchange.ours, exchange.here, exchange.there),
            (&exchange.theirs, exchange.there, exchange.here),
        ] {
            for &rank in ranks {
                self.members[from as usize].retain(|&r| r != rank);
                self.members[to as usize].push(rank);
                self.node_of[rank as usize] = to;
            }
        }
    }

    /// Adds or removes all messages of a rank, those between two moving ranks once.
    fn route_all(&mut self, rank: u32, route: impl Fn(&mut Self, u32, u32, u64)) {
        let here = self.node_of[rank as usize];
        for place in 0..self.peers(rank).len() {
            let peer = self.peers(rank)[place];
            if self.moving[peer.rank as usize] && peer.rank < rank {
                continue;
            }
            let there = self.node_of[peer.rank as usize];
            route(self, here, there, peer.sent);
            route(self, there, here, peer.received);
        }
    }

    fn add(&mut self, from: u32, to: u32, bytes: u64) {
        let hops = self.load(from, to, bytes, u64::wrapping_add);
        self.hop_bytes += u128::from(hops) * u128::from(bytes);
    }

    fn remove(&mut self, from: u32, to: u32, bytes: u64) {
        let hops = self.load(from, to, bytes, u64::wrapping_sub);
        self.hop_bytes -= u128::from(hops) * u128::from(bytes);
    }

    #[inline]
    fn load(&mut self, from: u32, to: u32, bytes: u64, change: fn(u64, u64) -> u64) -> u32 {
        if from == to || bytes == 0 {
            return 0;
        }
        let (loads, touched, journal) = (&mut self.bytes, &mut self.touched, &mut self.journal);
        let moves = self.moves;
        let hops = self.routes.follow(from, to, |channel| {
            let c = channel as usize;
            if touched[c] != moves {
                touched[c] = moves;
                journal.push((channel, loads[c]));
            }
            loads[c] = change(loads[c], bytes);
        });
        self.work += u64::from(hops);
        hops
    }
}
