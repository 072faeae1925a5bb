//! A copy of the ranks of one window, so that the search of a window touches nothing outside it.
//!
//! Partners outside the window are ghosts: they have a position and never move. Loops over partners
//! need not tell ranks and ghosts apart.

use super::hop_table::HopTable;
use super::tables::Tables;
use super::watched::Watched;
use super::window::{Position, Shape, Window};
use crate::amount::Amount;
use rankfold_assess::Constraints;
use rankfold_base::{Occupancy, Placement, Rank, SlotId, Slots};
use rankfold_graph::Affinity;
use rankfold_machine::Distances;
use std::ops::Range;

/// The most entries that the cost tables of a window may have, all ranks together. Larger tables
/// leave no room in a core's cache. Measured when set, processor time of `rankfold-map map
/// --objective hop-bytes` with tables over the time without: 0.86 for nlpkkt_256 on torus:8x8x4,
/// 0.82 for nlpkkt_512 on torus:8x8x8, and 1.2 for nlpkkt_4096 on torus:16x16x16, which has too
/// many entries.
const MOST_ENTRIES: usize = 1 << 15;

/// Every move that is made changes tables. All ranks have tables as long as the number of moves
/// made, times the entries of a rank's tables, is at most this many for each move tried. Measured
/// when set: limits from 1 to 8 are alike where few moves are made. Where most moves are made,
/// sub_a2a_32x32 on torus:8x8x16 takes 6.7 s with 2, and 17.5 s without a limit.
const ENTRIES_A_MOVE: u64 = 2;

/// Marks a seat where no rank sits.
pub(super) const FREE: u32 = u32::MAX;

/// The machine and the whole placement, from which windows are copied and to which they are written
/// back.
pub(super) struct Board<'a, const D: usize> {
    pub(super) affinity: &'a Affinity,
    pub(super) slots: &'a Slots,
    pub(super) distances: Distances,
    pub(super) shape: Shape<D>,
    pub(super) hop_table: HopTable<D>,
    /// The coordinates of every node.
    pub(super) coordinates: Vec<Position<D>>,
    pub(super) placement: &'a mut Placement,
    pub(super) occupancy: Occupancy,
    /// The ranks that stay: windows take them for ghosts.
    pub(super) constraints: &'a Constraints,
}

/// The ranks and ghosts of one window, numbered from 0, ranks first.
pub(super) struct Local<A, const D: usize> {
    pub(super) window: Window<D>,
    pub(super) ring: Position<D>,
    hop_table: HopTable<D>,
    /// The first seat of every cell, then the number of all seats.
    first_seat: Vec<u32>,
    /// The slot of every seat.
    slots: Vec<SlotId>,
    /// The position of every seat.
    places: Vec<Position<D>>,
    /// The rank on every seat, or [`FREE`].
    pub(super) occupant: Vec<u32>,
    /// The ranks by their numbers outside the window.
    pub(super) ranks: Vec<Rank>,
    /// The seat of every rank at first.
    started: Vec<u32>,
    /// The seat of every rank now.
    pub(super) seat: Vec<u32>,
    /// The positions of ranks and ghosts.
    at: Vec<Position<D>>,
    /// The numbers of these positions in the hop table.
    number: Vec<i32>,
    /// The rank that each ghost stands for.
    ghosts: Vec<Rank>,
    /// The first edge of every rank, then the number of all edges.
    first_edge: Vec<u32>,
    /// The partner at the end of every edge, a rank or a ghost.
    to: Vec<u32>,
    /// The bytes of every edge, both directions added.
    bytes: Vec<u64>,
    /// Hop-bytes of the messages of every rank. For ghosts only changes are counted.
    cost: Vec<A>,
    /// The ranks whose costs are kept in tables.
    watched: Watched<A, D>,
    /// The number of edges looked up so far: a measure of work that no clock influences.
    pub(super) lookups: u64,
}

impl<A: Amount, const D: usize> Local<A, D> {
    pub(super) fn new<'b>(board: &Board<'b, D>, window: Window<D>) -> Self {
        let mut local = Self {
            window,
            ring: board.shape.ring(),
            hop_table: board.hop_table.clone(),
            first_seat: vec![0],
            slots: Vec::new(),
            places: Vec::new(),
            occupant: Vec::new(),
            ranks: Vec::new(),
            started: Vec::new(),
            seat: Vec::new(),
            at: Vec::new(),
            number: Vec::new(),
            ghosts: Vec::new(),
            first_edge: vec![0],
            to: Vec::new(),
            bytes: Vec::new(),
            cost: Vec::new(),
            watched: Watched::none(&window.side),
            lookups: 0,
        };
        local.take_seats(board);
        local.take_edges(board);
        let numbers = local.at.iter().map(|at| local.hop_table.number(at));
        local.number = numbers.collect();
        local.cost = vec![A::default(); local.at.len()];
        for rank in 0..local.ranks.len() {
            local.cost[rank] = local.cost_at(rank, &local.at[rank]);
        }
        local
    }

    fn take_seats(&mut self, board: &Board<'_, D>) {
        for cell in 0..self.window.nodes() {
            let position = self.window.position_of(cell);
            for slot in board.slots.on(self.window.node(&position, &board.shape)) {
                let who = board.occupancy.rank(slot);
                if who.is_some_and(|rank| board.constraints.holds(rank)) {
                    continue;
                }
                let occupant = who.map(|rank| {
                    self.ranks.push(rank);
                    self.at.push(position);
                    self.seat.push(self.slots.len() as u32);
                    self.ranks.len() as u32 - 1
                });
                self.occupant.push(occupant.unwrap_or(FREE));
                self.slots.push(slot);
                self.places.push(position);
            }
            self.first_seat.push(self.slots.len() as u32);
        }
        self.started.clone_from(&self.seat);
    }

    fn take_edges(&mut self, board: &Board<'_, D>) {
        for rank in 0..self.ranks.len() {
            for (partner, bytes) in board.affinity.partners(self.ranks[rank]) {
                let slot = board.placement.slot(partner);
                let at = &board.coordinates[board.slots.node_of(slot).index()];
                let position = self.window.position(at, &self.ring);
                let inside = self.window.cell(&position);
                let to = match inside.filter(|_| !board.constraints.holds(partner)) {
                    Some(cell) => self.occupant[self.seat_of(cell, slot)],
                    None => {
                        self.ghosts.push(partner);
                        self.at.push(position);
                        self.at.len() as u32 - 1
                    }
                };
                self.to.push(to);
                self.bytes.push(bytes);
            }
            self.first_edge.push(self.to.len() as u32);
        }
    }

    /// The seat of a slot of a cell.
    fn seat_of(&self, cell: usize, slot: SlotId) -> usize {
        let (first, end) = (self.first_seat[cell], self.first_seat[cell + 1]);
        let seats = &self.slots[first as usize..end as usize];
        // The slots of a node follow each other, unless the ranks of some stay.
        let beyond = (slot.0 - seats[0].0) as usize;
        let place = match seats.get(beyond) {
            Some(&found) if found == slot => beyond,
            _ => seats.partition_point(|&seat| seat < slot),
        };
        first as usize + place
    }

    /// The partners of a rank, ghosts included, with the bytes of both directions.
    #[inline]
    pub(super) fn partners(&self, rank: usize) -> impl Iterator<Item = (usize, u64)> + Clone + '_ {
        let edges = self.edges(rank);
        let (to, bytes) = (&self.to[edges.clone()], &self.bytes[edges]);
        to.iter()
            .zip(bytes)
            .map(|(&to, &bytes)| (to as usize, bytes))
    }

    #[inline]
    pub(super) fn edges(&self, rank: usize) -> Range<usize> {
        self.first_edge[rank] as usize..self.first_edge[rank + 1] as usize
    }

    /// The rank or ghost at the other end of an edge.
    #[inline]
    pub(super) fn end_of(&self, edge: usize) -> usize {
        self.to[edge] as usize
    }

    /// The number of edges of all ranks. An edge between two ranks counts twice.
    pub(super) fn edge_count(&self) -> usize {
        self.to.len()
    }

    #[inline]
    pub(super) fn position(&self, who: usize) -> &Position<D> {
        &self.at[who]
    }

    #[inline]
    pub(super) fn place(&self, seat: u32) -> &Position<D> {
        &self.places[seat as usize]
    }

    #[inline]
    pub(super) fn seats(&self, cell: usize) -> Range<u32> {
        self.first_seat[cell]..self.first_seat[cell + 1]
    }

    #[inline]
    pub(super) fn cost(&self, rank: usize) -> A {
        self.cost[rank]
    }

    /// Starts to keep cost tables for ranks with very many partners.
    pub(super) fn watch_hubs(&mut self) {
        self.watch(Watched::<A, D>::is_hub);
    }

    /// Keeps cost tables for all ranks from now on if they save time where `made` of `tried` moves
    /// are made, and for no rank otherwise. Tables save time with every move that is tried. They
    /// cost time with every move that is made.
    pub(super) fn watch_all_if_it_pays(&mut self, made: u64, tried: u64) {
        let width: usize = self.window.side.iter().sum();
        let are_small = self.ranks.len() * width <= MOST_ENTRIES;
        let pays = are_small && made * width as u64 <= ENTRIES_A_MOVE * tried;
        self.watch(|_| pays);
    }

    #[cfg(test)]
    pub(super) fn is_watched(&self, rank: usize) -> bool {
        self.watched.row(rank).is_some()
    }

    /// Starts to keep cost tables for the ranks with as many partners as `wanted` says.
    fn watch(&mut self, wanted: impl Fn(usize) -> bool) {
        let ranks = self.ranks.len();
        let mut watched = Watched::none(&self.window.side);
        let mut tables = Tables::new(&self.window.side);
        for rank in (0..ranks).filter(|&rank| wanted(self.edges(rank).len())) {
            tables.fill(&self.around(rank), &self.ring);
            watched.watch(rank, ranks, &tables);
        }
        self.watched = watched;
    }

    /// The positions of the partners of a rank, with the bytes of both directions.
    pub(super) fn around(&self, rank: usize) -> impl Iterator<Item = (&Position<D>, u64)> + Clone {
        self.partners(rank)
            .map(|(partner, bytes)| (&self.at[partner], bytes))
    }

    /// Fills the tables with the cost of `rank` at every position of the window.
    pub(super) fn fill(&mut self, tables: &mut Tables<A, D>, rank: usize) {
        if let Some(row) = self.watched.row(rank) {
            tables.copy(row);
            self.lookups += 1;
            return;
        }
        self.lookups += self.edges(rank).len() as u64;
        tables.fill(&self.around(rank), &self.ring);
    }

    /// The rank outside the window that a ghost stands for; `None` for a rank inside.
    pub(super) fn outsider(&self, who: usize) -> Option<Rank> {
        Some(self.ghosts[who.checked_sub(self.ranks.len())?])
    }

    /// Hop-bytes of `rank` if it alone moved to `place`, from its tables if it is watched.
    #[inline]
    pub(super) fn known_cost_at(&self, rank: usize, place: &Position<D>) -> A {
        let known = self.watched.cost(rank, place);
        known.unwrap_or_else(|| self.cost_at(rank, place))
    }

    /// Hop-bytes of `rank` if it alone moved to `place`, partner by partner.
    #[inline]
    pub(super) fn cost_at(&self, rank: usize, place: &Position<D>) -> A {
        let place = self.hop_table.number(place);
        self.partners(rank)
            .map(|(other, bytes)| A::hop_bytes(bytes, self.hops(place, other)))
            .sum()
    }

    /// The hop-bytes that `other` saves in an exchange with `rank`, less what both single moves
    /// wrongly count as saved on the bytes between the two: these stay as far apart as they were.
    #[inline]
    pub(super) fn gain_of_return(&mut self, rank: usize, other: usize) -> A {
        let place = self.number[rank];
        let (there, between, looked_at) = match self.watched.cost(other, &self.at[rank]) {
            Some(there) => (there, self.bytes_to(rank, other), rank),
            None => {
                let (there, between) = self.cost_and_bytes(other, rank);
                (there, between, other)
            }
        };
        self.lookups += self.edges(looked_at).len() as u64;
        let unchanged = match between {
            0 => A::default(),
            bytes => A::hop_bytes(bytes, 2 * self.hops(place, other)),
        };
        self.cost[other] - there - unchanged
    }

    /// Hop-bytes of `other` at the position of `rank`, and the bytes between the two.
    #[inline]
    fn cost_and_bytes(&self, other: usize, rank: usize) -> (A, u64) {
        let place = self.number[rank];
        let (mut there, mut between) = (A::default(), 0);
        for (partner, bytes) in self.partners(other) {
            there += A::hop_bytes(bytes, self.hops(place, partner));
            if partner == rank {
                between = bytes;
            }
        }
        (there, between)
    }

    /// Bytes between two ranks, found among the partners of the first.
    #[inline]
    fn bytes_to(&self, rank: usize, other: usize) -> u64 {
        let mut partners = self.partners(rank);
        let found = partners.find(|&(partner, _)| partner == other);
        found.map_or(0, |(_, bytes)| bytes)
    }

    /// Hops from the position with number `from` to a rank or ghost.
    #[inline]
    fn hops(&self, from: i32, to: usize) -> i64 {
        self.hop_table.hops(from, self.number[to])
    }

    /// Moves `rank` to `seat`, and the occupant of `seat`, if any, to the seat that `rank` leaves.
    /// Returns the occupant.
    pub(super) fn exchange(&mut self, rank: usize, seat: u32) -> Option<usize> {
        let left = self.seat[rank];
        let other = self.occupant[seat as usize];
        self.reseat(rank, seat);
        self.occupant[left as usize] = FREE;
        let other = (other != FREE).then_some(other as usize);
        if let Some(other) = other {
            self.reseat(other, left);
        }
        other
    }

    fn reseat(&mut self, rank: usize, seat: u32) {
        let place = self.places[seat as usize];
        let (from, to) = (self.number[rank], self.hop_table.number(&place));
        self.lookups += self.edges(rank).len() as u64;
        self.watched.note_move(&self.at[rank], &place, &self.ring);
        for edge in self.edges(rank) {
            let other = self.to[edge] as usize;
            let change = self.hops(to, other) - self.hops(from, other);
            let change = A::hop_bytes(self.bytes[edge], change);
            self.cost[rank] += change;
            self.cost[other] += change;
            self.watched.follow(other, self.bytes[edge]);
        }
        self.at[rank] = place;
        self.number[rank] = to;
        self.seat[rank] = seat;
        self.occupant[seat as usize] = rank as u32;
    }

    /// The ranks that changed their seat, with the new slot.
    pub(super) fn moved(&self) -> Vec<(Rank, SlotId)> {
        let seats = self.started.iter().zip(&self.seat).zip(&self.ranks);
        seats
            .filter(|((started, seat), _)| started != seat)
            .map(|((_, &seat), &rank)| (rank, self.slots[seat as usize]))
            .collect()
    }
}
