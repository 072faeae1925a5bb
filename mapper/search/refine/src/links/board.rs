//! Ranks on nodes, and the bytes that their messages put on every link, kept up to date move by
//! move.
//!
//! Loads are whole numbers of parts of a byte (see [`Routes`]), so nothing drifts. A move is opened
//! first: it changes `change`, not `loads`, and lists the links it touches. Then it is kept or
//! taken back, either in time proportional to the touched links.
//!
//! ```text
//! mesh:4, rank 0 sends rank 1 10 bytes; rank 1 goes from node 1 to node 3
//!
//! node        0 ---> 1 ---> 2 ---> 3
//! loads         10     0      0
//! change         0   +10    +10        the open move: 10 bytes leave the first link and come back
//! touched      all three
//! keep()        10    10     10        change is 0 again
//! ```
//!
//! A move costs the links on the routes of all messages of its ranks, before and after the move.

use super::peers::{Peer, peers};
use super::remembered::RouteSize;
use super::routes::Routes;
use super::waits::PairWaits;
use rankfold_base::{ChannelId, Csr};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_problem::objective::UnknownTies;

/// A rank that changes its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) rank: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl Relocation {
    /// The way back.
    pub(crate) fn reversed(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
            ..self
        }
    }
}

/// The node of every rank and the bytes through every link. Links are the network's channels and,
/// where its bandwidth is known, the memory of every node after them.
pub(crate) struct LinkBoard<'a> {
    routes: Routes<'a>,
    /// The communication partners of every rank, ascending.
    pub(crate) peers: Csr<Peer>,
    /// The node of every rank, the open move included.
    pub(crate) node_of: Vec<u32>,
    pub(crate) waits: PairWaits,
    /// Parts of bytes through every link before the open move.
    pub(crate) loads: Vec<i64>,
    /// What the open move adds to the load of every link, 0 everywhere while none is open.
    pub(crate) change: Vec<i64>,
    /// Bytes x hops of all messages before the open move, and what the move adds.
    pub(crate) hop_bytes: i128,
    pub(crate) hop_bytes_change: i128,
    /// The transfer time that shares of messages count beyond the messages, before the open move,
    /// and what the move adds.
    surplus: f64,
    surplus_change: f64,
    /// The time that a part of a byte takes on every link: 1 / (bandwidth x parts of a byte).
    pub(crate) slowness: Vec<f64>,
    /// What a part of a byte on every link adds to the transfer: `slowness`, or less where the link
    /// is seldom the busiest (see [`Machine::contention`]).
    pub(crate) charge: Vec<f64>,
    /// Link of node 0's memory, if memories are links.
    memory: Option<u32>,
    /// The links that the open move touches: the first `touched_count` entries. The list has one
    /// entry more than there are links.
    touched: Vec<u32>,
    touched_count: usize,
    /// Number of the last move that touched a link.
    touched_by: Vec<u32>,
    /// Number of the open move.
    moves: u32,
    /// Whether the open move relocates a rank.
    moving: Vec<bool>,
    /// Links passed so far: a measure of time that no clock influences.
    pub(crate) work: u64,
}

impl<'a> LinkBoard<'a> {
    /// The board of a graph whose ranks sit on `node_of`. With `timed`, latencies of links and
    /// memories of nodes count, too.
    ///
    /// `None` for machines whose routes cannot be remembered.
    pub(crate) fn new(
        graph: &CommGraph,
        machine: &'a Machine,
        node_of: Vec<u32>,
        timed: bool,
        unknown_ties: UnknownTies,
    ) -> Option<Self> {
        let topology = machine.topology();
        let (channels, nodes) = (topology.channels(), machine.slots().nodes());
        let routes = Routes::new(topology, unknown_ties, graph.total_bytes())?;
        let parts = routes.parts() as f64;
        let bandwidths = (0..channels).map(|c| topology.bandwidth(ChannelId::at(c)));
        let mut slowness: Vec<f64> = bandwidths
            .map(|bandwidth| 1.0 / (bandwidth * parts))
            .collect();
        let memory = machine.timing().memory.filter(|_| timed);
        let memory = memory.map(|bandwidth| {
            slowness.extend(std::iter::repeat_n(1.0 / (bandwidth * parts), nodes));
            channels as u32
        });
        let links = slowness.len();
        let mut charge = slowness.clone();
        if let Some(shares) = machine.contention() {
            let charged = charge.iter_mut().zip(shares);
            charged.for_each(|(charge, share)| *charge *= share);
        }
        let peers = peers(graph);
        let mut board = Self {
            routes,
            waits: PairWaits::new(graph, topology, &peers, timed),
            peers,
            node_of,
            loads: vec![0; links],
            change: vec![0; links],
            hop_bytes: 0,
            hop_bytes_change: 0,
            surplus: 0.0,
            surplus_change: 0.0,
            slowness,
            charge,
            memory,
            touched: vec![0; links + 1],
            touched_count: 0,
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

    /// Puts the ranks on these nodes, and loads all links anew.
    pub(crate) fn reseat(&mut self, node_of: Vec<u32>) {
        self.node_of = node_of;
        self.loads.fill(0);
        (self.hop_bytes, self.surplus) = (0, 0.0);
        self.waits.sum = 0.0;
        self.load_all();
    }

    pub(crate) fn ranks(&self) -> usize {
        self.node_of.len()
    }

    /// The communication partners of a rank.
    #[inline]
    pub(crate) fn peers_of(&self, rank: u32) -> &[Peer] {
        self.peers.row(rank as usize)
    }

    /// Time on the busiest link: bytes over bandwidth.
    pub(crate) fn busiest(&self) -> f64 {
        self.times().fold(0.0, f64::max)
    }

    /// Time of all messages on all their links as far as these can be busy, waits included.
    pub(crate) fn transfer(&self) -> f64 {
        let links = self.loads.iter().zip(&self.charge);
        let charged: f64 = links.map(|(&load, charge)| load as f64 * charge).sum();
        charged - self.surplus + self.waits.sum
    }

    /// What the open move adds to the transfer, besides the times of the links it touches.
    pub(crate) fn transfer_besides_links(&self) -> f64 {
        self.waits.change() - self.surplus_change
    }

    fn times(&self) -> impl Iterator<Item = f64> {
        let links = self.loads.iter().zip(&self.slowness);
        links.map(|(&load, &slowness)| load as f64 * slowness)
    }

    /// Senders and receivers of the messages that cross a link busier than this share of the
    /// busiest link's time; a rank is listed once for each such message.
    pub(crate) fn ends_of_busy(&mut self, share: f64) -> Vec<u32> {
        let threshold = share * self.busiest();
        let busy: Vec<bool> = self.times().map(|time| time > threshold).collect();
        let mut ends = Vec::new();
        for rank in 0..self.ranks() as u32 {
            let here = self.node_of[rank as usize];
            for peer in self.peers.row(rank as usize) {
                let there = self.node_of[peer.rank as usize];
                if peer.sent == 0 {
                    continue;
                }
                let mut crosses = false;
                let mut visit = |link: u32, _| crosses |= busy[link as usize];
                if here != there {
                    self.work += u64::from(self.routes.follow(here, there, visit).links);
                } else if let Some(memory) = self.memory {
                    visit(memory + here, 1);
                }
                if crosses {
                    ends.extend([rank, peer.rank]);
                }
            }
        }
        ends
    }

    /// The waits of all pairs with traffic between nodes, with sender and receiver; empty where no
    /// link has a latency.
    pub(crate) fn all_waits(&mut self) -> Vec<(f64, [u32; 2])> {
        let mut waits = Vec::new();
        if !self.waits.known() {
            return waits;
        }
        for rank in 0..self.ranks() as u32 {
            let here = self.node_of[rank as usize];
            for place in 0..self.peers.row(rank as usize).len() {
                let peer = self.peers.row(rank as usize)[place].rank;
                let there = self.node_of[peer as usize];
                if peer > rank && here != there {
                    let hops = [(here, there), (there, here)]
                        .map(|(from, to)| self.routes.follow(from, to, |_, _| ()).hops);
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

    /// The links that the open move touches.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched[..self.touched_count]
    }

    /// Whether the open move touches a link.
    #[inline]
    pub(crate) fn touches(&self, link: u32) -> bool {
        self.touched_by[link as usize] == self.moves
    }

    /// Time on a link after the open move.
    #[inline]
    pub(crate) fn time_of(&self, link: u32) -> f64 {
        let link = link as usize;
        (self.loads[link] + self.change[link]) as f64 * self.slowness[link]
    }

    /// Opens a move: the ranks change nodes, and every link notes what that changes.
    pub(crate) fn open(&mut self, relocations: &[Relocation]) {
        self.begin();
        self.read_routes_ahead(relocations);
        self.set_moving(relocations, true);
        self.route_movers(relocations, -1);
        for relocation in relocations {
            self.node_of[relocation.rank as usize] = relocation.to;
        }
        self.route_movers(relocations, 1);
        self.set_moving(relocations, false);
    }

    /// Carries the open move out.
    pub(crate) fn keep(&mut self) {
        for &link in &self.touched[..self.touched_count] {
            self.loads[link as usize] += std::mem::take(&mut self.change[link as usize]);
        }
        self.hop_bytes += self.hop_bytes_change;
        self.surplus += self.surplus_change;
        self.waits.keep();
    }

    /// Takes the open move back.
    pub(crate) fn take_back(&mut self, relocations: &[Relocation]) {
        for &link in &self.touched[..self.touched_count] {
            self.change[link as usize] = 0;
        }
        for relocation in relocations {
            self.node_of[relocation.rank as usize] = relocation.from;
        }
    }

    fn begin(&mut self) {
        self.touched_count = 0;
        (self.hop_bytes_change, self.surplus_change) = (0, 0.0);
        self.waits.changes.clear();
        self.moves = self.moves.wrapping_add(1);
        if self.moves == 0 {
            self.touched_by.fill(0);
            self.moves = 1;
        }
    }

    fn read_routes_ahead(&self, relocations: &[Relocation]) {
        for &Relocation { rank, from, to } in relocations {
            let node_of = |peer: &Peer| self.node_of[peer.rank as usize];
            let nodes = || self.peers_of(rank).iter().map(node_of);
            self.routes.read_ahead(from, nodes());
            self.routes.read_ahead(to, nodes());
        }
    }

    fn set_moving(&mut self, relocations: &[Relocation], moving: bool) {
        for relocation in relocations {
            self.moving[relocation.rank as usize] = moving;
        }
    }

    fn route_movers(&mut self, relocations: &[Relocation], sign: i64) {
        for relocation in relocations {
            self.route_all(relocation.rank, sign);
        }
    }

    /// Adds (`sign` 1) or removes (`sign` -1) all messages of a rank. A message between two moving
    /// ranks is left to the rank with the lower number.
    #[inline]
    fn route_all(&mut self, rank: u32, sign: i64) {
        let here = self.node_of[rank as usize];
        for place in 0..self.peers.row(rank as usize).len() {
            let peer = self.peers.row(rank as usize)[place];
            if self.moving[peer.rank as usize] && peer.rank < rank {
                continue;
            }
            let there = self.node_of[peer.rank as usize];
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

    /// Adds bytes to all links on the route between two nodes, and returns how many links of the
    /// network the route has.
    #[inline]
    fn load(&mut self, from: u32, to: u32, bytes: i64) -> u32 {
        let (change, touched) = (&mut self.change[..], &mut self.touched[..]);
        let (touched_by, now, mut count) =
            (&mut self.touched_by[..], self.moves, self.touched_count);
        let mut add = |link: u32, parts: i64| {
            let at = link as usize;
            // The link is written to the list in any case, and the entry is kept if the move had
            // not touched the link before: cheaper than a branch that is hard to predict.
            touched[count] = link;
            count += usize::from(touched_by[at] != now);
            touched_by[at] = now;
            change[at] += bytes * parts;
        };
        let mut size = RouteSize::default();
        if bytes == 0 {
            return 0;
        }
        if from != to {
            size = self.routes.follow(from, to, add);
        } else if let Some(memory) = self.memory {
            add(memory + from, self.routes.parts());
        }
        self.work += u64::from(size.links);
        self.touched_count = count;
        self.hop_bytes_change += i128::from(bytes) * i128::from(size.hops);
        self.surplus_change += bytes as f64 * size.surplus;
        size.hops
    }
}
