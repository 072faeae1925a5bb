//! The seats of an anneal: one for every slot, with the rank that sits there.

use crate::links::Relocation;
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::Machine;

/// Marks a seat where no rank sits.
pub(super) const FREE: u32 = u32::MAX;

/// Two seats whose occupants change places. Either seat may be free.
pub(super) type Exchange = (u32, u32);

/// The rank on every seat and the seat of every rank.
pub(super) struct Seats {
    /// The rank on every seat, or [`FREE`].
    pub(super) rank_at: Vec<u32>,
    pub(super) seat_of: Vec<u32>,
    pub(super) node_of_seat: Vec<u32>,
    /// First seat of every node, then the number of all seats.
    first: Vec<u32>,
}

impl Seats {
    pub(super) fn new(machine: &Machine, placement: &Placement) -> Self {
        let slots = machine.slots();
        let mut first = vec![0];
        for node in 0..slots.nodes() {
            first.push(first[node] + slots.capacity(NodeId::at(node)));
        }
        let all = (0..slots.len()).map(SlotId::at);
        let mut seats = Self {
            rank_at: vec![FREE; slots.len()],
            seat_of: Vec::new(),
            node_of_seat: all.map(|seat| slots.node_of(seat).0).collect(),
            first,
        };
        seats.seat(placement);
        seats
    }

    pub(super) fn seat(&mut self, placement: &Placement) {
        self.rank_at.fill(FREE);
        self.seat_of = placement.slots().iter().map(|slot| slot.0).collect();
        for (rank, &seat) in (0..).zip(&self.seat_of) {
            self.rank_at[seat as usize] = rank;
        }
    }

    /// The node every rank sits on.
    pub(super) fn nodes(&self) -> Vec<u32> {
        let seats = self.seat_of.iter();
        seats
            .map(|&seat| self.node_of_seat[seat as usize])
            .collect()
    }

    /// The seats of a node.
    #[inline]
    pub(super) fn of_node(&self, node: u32) -> std::ops::Range<u32> {
        self.first[node as usize]..self.first[node as usize + 1]
    }

    pub(super) fn exchange(&mut self, exchanges: &[Exchange]) {
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

    /// Writes into `relocations` the ranks that change their node when these seats are exchanged.
    #[inline]
    pub(super) fn relocations(&self, exchanges: &[Exchange], relocations: &mut Vec<Relocation>) {
        relocations.clear();
        for &(a, b) in exchanges {
            for (from, to) in [(a, b), (b, a)] {
                let rank = self.rank_at[from as usize];
                if rank != FREE {
                    let (from, to) = (from as usize, to as usize);
                    let (from, to) = (self.node_of_seat[from], self.node_of_seat[to]);
                    relocations.push(Relocation { rank, from, to });
                }
            }
        }
    }

    /// The current placement.
    pub(super) fn placement(&self) -> Placement {
        Placement::new(self.seat_of.iter().copied().map(SlotId).collect())
    }
}
