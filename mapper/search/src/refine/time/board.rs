//! Ranks on seats, bytes through every link, and what moves would change: exact whole bytes, so that nothing drifts.

use crate::refine::congestion::peers::{Peer, peers};
use crate::refine::congestion::routes::Routes;
use rankfold_model::Csr;
use rankfold_model::comm::CommGraph;
use rankfold_model::ids::{ChannelId, NodeId, Rank, SlotId};
use rankfold_model::machine::{Machine, Unit};
use rankfold_model::placement::Placement;

/// No rank sits here.
pub(super) const FREE: u32 = u32::MAX;

/// Two seats that change hands, either of which may be free.
pub(super) type Exchange = (u32, u32);

/// A placement in the making. Links are the network's channels and, where its bandwidth is known, the memory of
/// every node after them.
pub(super) struct Board<'a> {
    routes: Routes<'a>,
    pub(super) peers: Csr<Peer>,
    waits: Waits,
    pub(super) seats: Seats,
    /// Bytes through every link before the open move.
    pub(super) bytes: Vec<i64>,
    /// What the open move adds to them, 0 everywhere while none is open.
    pub(super) change: Vec<i64>,
    /// 1 / bandwidth of every link.
    pub(super) slowness: Vec<f64>,
    /// Link of node 0's memory, if memories are links.
    memory: Option<u32>,
    /// Links the open move touches: the first `count`. One place more than there are links.
    touched: Vec<u32>,
    count: usize,
    /// The last move that touched a link.
    touched_by: Vec<u32>,
    moves: u32,
    moving: Vec<bool>,
    /// Links passed: a measure of time no clock influences.
    pub(super) work: u64,
}

/// Which rank sits where.
pub(super) struct Seats {
    pub(super) rank_at: Vec<u32>,
    pub(super) seat_of: Vec<u32>,
    pub(super) node_of_seat: Vec<u32>,
    /// First seat of every node, and one past the last.
    first: Vec<u32>,
}

/// Latencies on the way, where any link has one.
struct Waits {
    /// Of every link; empty where all are 0.
    latency: Vec<f64>,
    /// Messages sent to and received from every peer, in the order of [`Board::peers`]; no rows without latencies.
    messages: Csr<(f32, f32)>,
    /// Messages x latencies on their way, before the open move and what it adds.
    sum: f64,
    change: f64,
}

impl Seats {
    fn new(machine: &Machine, placement: &Placement) -> Self {
        let slots = machine.slots();
        let mut rank_at = vec![FREE; slots.len()];
        for (rank, slot) in (0..).zip(placement.slots()) {
            rank_at[slot.index()] = rank;
        }
        let mut first = vec![0];
        for node in 0..slots.nodes() {
            first.push(first[node] + slots.capacity(NodeId::at(node)));
        }
        let seats = (0..slots.len()).map(SlotId::at);
        Self {
            rank_at,
            seat_of: placement.slots().iter().map(|slot| slot.0).collect(),
            node_of_seat: seats.map(|seat| slots.node_of(seat).0).collect(),
            first,
        }
    }

    /// The node a rank sits on.
    #[inline]
    pub(super) fn node_of(&self, rank: u32) -> u32 {
        self.node_of_seat[self.seat_of[rank as usize] as usize]
    }

    /// The seats of a node.
    #[inline]
    pub(super) fn of_node(&self, node: u32) -> std::ops::Range<u32> {
        self.first[node as usize]..self.first[node as usize + 1]
    }

    fn exchange(&mut self, exchanges: &[Exchange]) {
        for &(a, b) in exchanges {
            self.rank_at.swap(a as usize, b as usize);
            for seat in [a, b] {
                let rank = self.rank_at[seat as usize];
                if rank != FREE {
                    self.seat_of[rank as usize] = seat;
                }
            }
        }
    }

    /// The placement as it is now.
    pub(super) fn placement(&self) -> Placement {
        Placement::new(self.seat_of.iter().copied().map(SlotId).collect())
    }
}

impl<'a> Board<'a> {
    /// `graph` as the links feel it; `None` for machines whose routes cannot be remembered.
    pub(super) fn new(
        graph: &CommGraph,
        machine: &'a Machine,
        placement: &Placement,
    ) -> Option<Self> {
        let topology = machine.topology();
        let (channels, nodes) = (topology.channels(), machine.slots().nodes());
        let bandwidths = (0..channels).map(|c| topology.bandwidth(ChannelId::at(c)));
        let mut slowness: Vec<f64> = bandwidths.map(|bandwidth| 1.0 / bandwidth).collect();
        let memory = machine.timing().memory.map(|bandwidth| {
            slowness.extend(std::iter::repeat_n(1.0 / bandwidth, nodes));
            channels as u32
        });
        let links = slowness.len();
        let peers = peers(graph);
        let mut board = Self {
            routes: Routes::new(topology)?,
            waits: Waits::new(graph, machine, &peers, links),
            peers,
            seats: Seats::new(machine, placement),
            bytes: vec![0; links],
            change: vec![0; links],
            slowness,
            memory,
            touched: vec![0; links + 1],
            count: 0,
            touched_by: vec![0; links],
            moves: 0,
            moving: vec![false; graph.ranks()],
            work: 0,
        };
        board.load_all();
        Some(board)
    }

    /// Loads all links from nothing.
    fn load_all(&mut self) {
        self.begin();
        self.moving.fill(true);
        for rank in 0..self.ranks() as u32 {
            self.route_all(rank, 1);
        }
        self.moving.fill(false);
        self.keep();
    }

    pub(super) fn ranks(&self) -> usize {
        self.seats.seat_of.len()
    }

    /// Time on the busiest link.
    pub(super) fn busiest(&self) -> f64 {
        self.times().fold(0.0, f64::max)
    }

    /// Time of all messages over all their links.
    pub(super) fn transfer(&self) -> f64 {
        self.times().sum::<f64>() + self.waits.sum
    }

    fn times(&self) -> impl Iterator<Item = f64> {
        let links = self.bytes.iter().zip(&self.slowness);
        links.map(|(&bytes, &slowness)| bytes as f64 * slowness)
    }

    /// What the open move adds to the messages' waits for latencies.
    pub(super) fn waits_change(&self) -> f64 {
        self.waits.change
    }

    /// Links the open move touches.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched[..self.count]
    }

    /// Opens a move: the seats change hands, and every link is told what that changes.
    pub(super) fn open(&mut self, exchanges: &[Exchange]) {
        self.begin();
        self.set_moving(exchanges, true);
        self.route_movers(exchanges, -1);
        self.seats.exchange(exchanges);
        self.route_movers(exchanges, 1);
        self.set_moving(exchanges, false);
    }

    /// Carries the open move out.
    pub(super) fn keep(&mut self) {
        for &link in &self.touched[..self.count] {
            self.bytes[link as usize] += std::mem::take(&mut self.change[link as usize]);
        }
        self.waits.sum += self.waits.change;
    }

    /// Takes the open move back.
    pub(super) fn drop(&mut self, exchanges: &[Exchange]) {
        for &link in &self.touched[..self.count] {
            self.change[link as usize] = 0;
        }
        self.seats.exchange(exchanges);
    }

    fn begin(&mut self) {
        self.count = 0;
        self.waits.change = 0.0;
        self.moves = self.moves.wrapping_add(1);
        if self.moves == 0 {
            self.touched_by.fill(0);
            self.moves = 1;
        }
    }

    fn set_moving(&mut self, exchanges: &[Exchange], moving: bool) {
        for &(a, b) in exchanges {
            for seat in [a, b] {
                let rank = self.seats.rank_at[seat as usize];
                if rank != FREE {
                    self.moving[rank as usize] = moving;
                }
            }
        }
    }

    fn route_movers(&mut self, exchanges: &[Exchange], sign: i64) {
        for &(a, b) in exchanges {
            for seat in [a, b] {
                let rank = self.seats.rank_at[seat as usize];
                if rank != FREE {
                    self.route_all(rank, sign);
                }
            }
        }
    }

    /// Adds or removes all messages of a rank, those between two moving ranks once.
    #[inline]
    fn route_all(&mut self, rank: u32, sign: i64) {
        let here = self.seats.node_of(rank);
        for place in 0..self.peers.row(rank as usize).len() {
            let peer = self.peers.row(rank as usize)[place];
            if self.moving[peer.rank as usize] && peer.rank < rank {
                continue;
            }
            let there = self.seats.node_of(peer.rank);
            self.load(here, there, sign * peer.sent as i64);
            self.load(there, here, sign * peer.received as i64);
            if !self.waits.latency.is_empty() {
                self.wait((rank, place), (here, there), sign as f64);
            }
        }
    }

    #[inline]
    fn load(&mut self, from: u32, to: u32, bytes: i64) {
        let (change, touched) = (&mut self.change[..], &mut self.touched[..]);
        let (touched_by, now, mut count) = (&mut self.touched_by[..], self.moves, self.count);
        let mut add = |link: u32| {
            let at = link as usize;
            // Written in any case and kept if it is the first time: cheaper than a branch nobody can predict.
            touched[count] = link;
            count += usize::from(touched_by[at] != now);
            touched_by[at] = now;
            change[at] += bytes;
        };
        match (from == to, self.memory) {
            _ if bytes == 0 => (),
            (false, _) => self.work += u64::from(self.routes.follow(from, to, add)),
            (true, Some(first)) => add(first + from),
            (true, None) => (),
        }
        self.count = count;
    }

    #[inline(never)]
    fn wait(&mut self, (rank, place): (u32, usize), (here, there): (u32, u32), sign: f64) {
        if here == there {
            return;
        }
        let (sent, received) = self.waits.messages.row(rank as usize)[place];
        for (from, to, messages) in [(here, there, sent), (there, here, received)] {
            if messages > 0.0 {
                let (latency, mut wait) = (&self.waits.latency, 0.0);
                self.routes
                    .follow(from, to, |link| wait += latency[link as usize]);
                self.waits.change += sign * f64::from(messages) * wait;
            }
        }
    }
}

impl Waits {
    fn new(graph: &CommGraph, machine: &Machine, peers: &Csr<Peer>, links: usize) -> Self {
        let topology = machine.topology();
        let mut latency: Vec<f64> = (0..topology.channels())
            .map(|c| topology.latency(ChannelId::at(c)))
            .collect();
        latency.resize(links, 0.0);
        let known = topology.unit() == Unit::Seconds && latency.iter().any(|&wait| wait > 0.0);
        if !known {
            latency.clear();
        }
        let ranks = if known { graph.ranks() } else { 0 };
        let messages = |from: Rank, to: Rank| {
            let sent = graph.sent_with_messages(from);
            let found = sent.into_iter().find(|&(rank, _, _)| rank == to);
            found.map_or(0.0, |(_, _, messages)| messages as f32)
        };
        let row = |rank: usize| {
            let rank = Rank::at(rank);
            let both = |peer: &Peer| {
                let peer = Rank(peer.rank);
                (messages(rank, peer), messages(peer, rank))
            };
            peers.row(rank.index()).iter().map(both).collect::<Vec<_>>()
        };
        let messages = (0..ranks).map(row).collect();
        Self {
            latency,
            messages,
            sum: 0.0,
            change: 0.0,
        }
    }
}
