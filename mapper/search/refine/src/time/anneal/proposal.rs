//! The moves that an anneal tries, and a cheap estimate that turns most of them away.
//!
//! A move puts a rank near one of its partners or near its own node, since most other moves are
//! bad. How much a move lengthens the routes of the movers' messages is known after one look-up for
//! each partner; what the move does to every link takes hundreds of steps. A move whose transfer
//! costs more than unloading links has lately saved is not tried.

use super::seats::{Exchange, FREE, Seats};
use super::subtrees::Subtrees;
use crate::links::{LinkBoard, Nearby};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_assess::Constraints;
use rankfold_base::{NodeId, Rank};
use rankfold_machine::Distances;

/// Of [`MOVES`] moves, this many go near a partner; the others go near the rank's own node. Chosen
/// by hand; not measured by themselves, as all counts in this file.
const MOVES: u32 = 16;
const TO_PARTNERS: u32 = 14;
/// Of [`MOVES`] moves, this many are of hot ranks, if there are hot ranks.
const OF_HOT: u32 = 4;

/// One move in so many exchanges all ranks of two nodes, where nodes take several ranks.
const WHOLE_NODE: u32 = 32;

/// One move in so many exchanges whole subtrees, on switched machines.
const SUBTREE: u32 = 256;

/// Where proposals come from.
pub(super) struct Proposals<'a> {
    pub(super) nearby: &'a Nearby,
    pub(super) subtrees: &'a Subtrees,
    pub(super) distances: &'a Distances,
    /// Whether some node takes more than one rank.
    pub(super) several: bool,
    /// What moves have to keep.
    pub(super) constraints: &'a Constraints,
    /// Ranks that more moves are of. A rank that is listed several times is drawn more often.
    pub(super) hot: Vec<u32>,
    pub(super) random: Xoshiro256PlusPlus,
}

impl Proposals<'_> {
    /// Draws a move and writes the seats to exchange into `exchanges`; false if the move would
    /// change nothing or is not possible.
    pub(super) fn draw(
        &mut self,
        board: &LinkBoard<'_>,
        seats: &Seats,
        exchanges: &mut Vec<Exchange>,
    ) -> bool {
        if !self.hot.is_empty() && self.below(MOVES as usize) < OF_HOT {
            return self.draw_hot(board, seats, exchanges);
        }
        let rank = self.below(board.ranks());
        self.draw_for(rank, board, seats, exchanges) && self.is_allowed(board, seats, exchanges)
    }

    /// Whether the ranks of these seats may change places.
    fn is_allowed(&self, board: &LinkBoard<'_>, seats: &Seats, exchanges: &[Exchange]) -> bool {
        let both = exchanges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        let moves = both.filter_map(|(from, to)| {
            let rank = seats.rank_at[from as usize];
            (rank != FREE).then(|| (Rank(rank), NodeId(seats.node_of_seat[to as usize])))
        });
        let node_of = |rank: Rank| NodeId(board.node_of[rank.index()]);
        self.constraints.allows(&moves, node_of)
    }

    /// Draws a move of one of the [`hot`](Self::hot) ranks, of which there is at least one.
    pub(super) fn draw_hot(
        &mut self,
        board: &LinkBoard<'_>,
        seats: &Seats,
        exchanges: &mut Vec<Exchange>,
    ) -> bool {
        let place = self.below(self.hot.len());
        let rank = self.hot[place as usize];
        self.draw_for(rank, board, seats, exchanges) && self.is_allowed(board, seats, exchanges)
    }

    fn draw_for(
        &mut self,
        rank: u32,
        board: &LinkBoard<'_>,
        seats: &Seats,
        exchanges: &mut Vec<Exchange>,
    ) -> bool {
        exchanges.clear();
        let peers = board.peers_of(rank);
        if peers.is_empty() {
            return false;
        }
        let here = board.node_of[rank as usize];
        if !self.subtrees.is_empty() && self.below(SUBTREE as usize) == 0 {
            let below = |range| below(&mut self.random, range);
            return self.subtrees.draw(here, seats, exchanges, below);
        }
        let centre = if self.below(MOVES as usize) < TO_PARTNERS {
            let peer = peers[self.below(peers.len()) as usize].rank;
            board.node_of[peer as usize]
        } else {
            here
        };
        let there = self.nearby.draw(centre, &mut self.random);
        let theirs = seats.of_node(there);
        if there == here || theirs.is_empty() {
            return false;
        }
        if self.several && self.below(WHOLE_NODE as usize) == 0 {
            return whole_nodes(seats, here, there, exchanges);
        }
        let seat = theirs.start + self.below(theirs.len());
        exchanges.push((seats.seat_of[rank as usize], seat));
        true
    }

    /// The hop-bytes that an exchange of two seats adds; `None` for moves of more seats.
    pub(super) fn longer(
        &self,
        board: &mut LinkBoard<'_>,
        seats: &Seats,
        exchanges: &[Exchange],
    ) -> Option<f64> {
        let &[(a, b)] = exchanges else {
            return None;
        };
        let of = |seat: u32| {
            (
                seats.rank_at[seat as usize],
                seats.node_of_seat[seat as usize],
            )
        };
        let ((ours, here), (theirs, there)) = (of(a), of(b));
        let sum = self.longer_for(board, ours, (here, there), theirs)
            + self.longer_for(board, theirs, (there, here), ours);
        let peers = |rank| {
            if rank == FREE {
                0
            } else {
                board.peers_of(rank).len()
            }
        };
        board.work += (peers(ours) + peers(theirs)) as u64;
        Some(sum as f64)
    }

    /// The hop-bytes that moving one of two exchanged ranks adds. Messages between the two ranks
    /// are left out, as their routes stay as long.
    #[inline]
    fn longer_for(
        &self,
        board: &LinkBoard<'_>,
        rank: u32,
        (from, to): (u32, u32),
        other: u32,
    ) -> i128 {
        if rank == FREE {
            return 0;
        }
        let (from, to, mut sum) = (NodeId(from), NodeId(to), 0);
        for peer in board.peers_of(rank) {
            if peer.rank != other {
                let there = NodeId(board.node_of[peer.rank as usize]);
                let hops = i64::from(self.distances.hops(to, there))
                    - i64::from(self.distances.hops(from, there));
                sum += i128::from(hops) * i128::from(peer.sent + peer.received);
            }
        }
        sum
    }

    #[inline]
    fn below(&mut self, range: usize) -> u32 {
        below(&mut self.random, range)
    }
}

/// A random number below `range`, by a multiplication instead of a division: the whole part of
/// `range` x a random fraction.
#[inline]
fn below(random: &mut Xoshiro256PlusPlus, range: usize) -> u32 {
    (((random.next_u64() >> 32) * range as u64) >> 32) as u32
}

/// Exchanges all ranks of two nodes; false if the ranks of one node do not fit the other.
fn whole_nodes(seats: &Seats, here: u32, there: u32, exchanges: &mut Vec<Exchange>) -> bool {
    let (ours, theirs) = (seats.of_node(here), seats.of_node(there));
    let free = |seat: u32| seats.rank_at[seat as usize] == FREE;
    let fit = ours.len().min(theirs.len());
    exchanges.extend(ours.clone().zip(theirs.clone()));
    ours.skip(fit).chain(theirs.skip(fit)).all(free)
}
