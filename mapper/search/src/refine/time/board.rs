//! Ranks on seats, bytes through every link, and what moves would change: exact whole bytes, so
//! that nothing drifts.

use super::seats::{Exchange, FREE, Seats};
use super::waits::Waits;
use crate::refine::congestion::peers::{Peer, peers};
use crate::refine::congestion::routes::Routes;
use rankfold_model::Csr;
use rankfold_model::comm::CommGraph;
use rankfold_model::ids::ChannelId;
use rankfold_model::machine::Machine;
use rankfold_model::placement::Placement;

/// A placement in the making. Links are the network's channels and, where its bandwidth is known,
/// the memory of every node after them.
pub(super) struct Board<'a> {
    routes: Routes<'a>,
    pub(super) peers: Csr<Peer>,
    pub(super) waits: Waits,
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

impl<'a> Board<'a> {
    /// `graph` as the links feel it; latencies and memories of nodes are left out unless `timed`.
    /// `None` for machines whose routes cannot be remembered.
    pub(super) fn new(
        graph: &CommGraph,
        machine: &'a Machine,
        placement: &Placement,
        timed: bool,
    ) -> Option<Self> {
        let topology = machine.topology();
        let (channels, nodes) = (topology.channels(), machine.slots().nodes());
        let bandwidths = (0..channels).map(|c| topology.bandwidth(ChannelId::at(c)));
        let mut slowness: Vec<f64> = bandwidths.map(|bandwidth| 1.0 / bandwidth).collect();
        let memory = machine.timing().memory.filter(|_| timed);
        let memory = memory.map(|bandwidth| {
            slowness.extend(std::iter::repeat_n(1.0 / bandwidth, nodes));
            channels as u32
        });
        let links = slowness.len();
        let peers = peers(graph);
        let mut board = Self {
            routes: Routes::new(topology)?,
            waits: Waits::new(graph, topology, &peers, timed),
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

    /// Seats the ranks as in `placement`.
    pub(super) fn reseat(&mut self, placement: &Placement) {
        self.seats.seat(placement);
        self.bytes.fill(0);
        self.waits.sum = 0.0;
        self.load_all();
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

    /// Senders and receivers of the messages over links busier than this share of the busiest, as
    /// often as there are such messages.
    pub(super) fn ends_of_busy(&mut self, share: f64) -> Vec<u32> {
        let threshold = share * self.busiest();
        let busy: Vec<bool> = self.times().map(|time| time > threshold).collect();
        let mut ends = Vec::new();
        for rank in 0..self.ranks() as u32 {
            let here = self.seats.node_of(rank);
            for peer in self.peers.row(rank as usize) {
                let there = self.seats.node_of(peer.rank);
                if peer.sent == 0 {
                    continue;
                }
                let mut crosses = false;
                match (here == there, self.memory) {
                    (true, first) => {
                        crosses = first.is_some_and(|first| busy[(first + here) as usize]);
                    }
                    (false, _) => {
                        let visit = |link: u32| crosses |= busy[link as usize];
                        self.work += u64::from(self.routes.follow(here, there, visit));
                    }
                }
                if crosses {
                    ends.extend([rank, peer.rank]);
                }
            }
        }
        ends
    }

    /// Waits of all pairs with traffic between nodes, with sender and receiver; empty without
    /// latencies.
    pub(super) fn all_waits(&mut self) -> Vec<(f64, [u32; 2])> {
        let mut waits = Vec::new();
        if !self.waits.known() {
            return waits;
        }
        for rank in 0..self.ranks() as u32 {
            let here = self.seats.node_of(rank);
            for place in 0..self.peers.row(rank as usize).len() {
                let peer = self.peers.row(rank as usize)[place].rank;
                let there = self.seats.node_of(peer);
                if peer > rank && here != there {
                    let hops = [(here, there), (there, here)]
                        .map(|(from, to)| self.routes.follow(from, to, |_| ()));
                    let ends = (here, there);
                    let (sent, received) =
                        self.waits
                            .of(&mut self.routes, (rank, place), ends, hops.into());
                    waits.extend([(sent, [rank, peer]), (received, [peer, rank])]);
                }
            }
        }
        waits
    }

    /// Links the open move touches.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched[..self.count]
    }

    /// Whether the open move touches a link.
    #[inline]
    pub(super) fn touches(&self, link: u32) -> bool {
        self.touched_by[link as usize] == self.moves
    }

    /// Time on a link, the open move included.
    #[inline]
    pub(super) fn time_of(&self, link: u32) -> f64 {
        let link = link as usize;
        (self.bytes[link] + self.change[link]) as f64 * self.slowness[link]
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
        self.waits.keep();
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
        self.waits.changes.clear();
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
            let hops = (
                self.load(here, there, sign * peer.sent as i64),
                self.load(there, here, sign * peer.received as i64),
            );
            if self.waits.known() && here != there {
                let ends = (here, there);
                let (sent, received) = self.waits.of(&mut self.routes, (rank, place), ends, hops);
                let sign = sign as f64;
                self.waits.changes.extend([sign * sent, sign * received]);
            }
        }
    }

    /// Adds bytes to all links from node to node, and returns how many links of the network there
    /// are on the way.
    #[inline]
    fn load(&mut self, from: u32, to: u32, bytes: i64) -> u32 {
        let (change, touched) = (&mut self.change[..], &mut self.touched[..]);
        let (touched_by, now, mut count) = (&mut self.touched_by[..], self.moves, self.count);
        let mut add = |link: u32| {
            let at = link as usize;
            // Written in any case and kept if it is the first time: cheaper than a branch nobody
            // can predict.
            touched[count] = link;
            count += usize::from(touched_by[at] != now);
            touched_by[at] = now;
            change[at] += bytes;
        };
        let mut hops = 0;
        match (from == to, self.memory) {
            _ if bytes == 0 => (),
            (false, _) => hops = self.routes.follow(from, to, add),
            (true, Some(first)) => add(first + from),
            (true, None) => (),
        }
        self.work += u64::from(hops);
        self.count = count;
        hops
    }
}
