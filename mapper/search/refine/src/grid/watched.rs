//! Ranks whose cost at every position of a window is kept in tables while ranks move.
//!
//! Counted anew, the cost of a rank at a position takes one look-up for each partner of the rank.
//! From the tables it takes one for each axis. A partner's move changes the entries along the axes
//! on which the partner moves. So tables pay for two kinds of ranks:
//!
//! * hubs, which have very many partners: a rank that looks for a seat meets the same few hubs
//!   again and again;
//! * all ranks of a small window while it is annealed: far more moves are tried than made.

use super::tables::{Layout, Tables};
use super::window::Position;
use crate::amount::Amount;

/// A rank with more partners than this is a hub. A partner's move changes about as many entries of
/// the tables. Measured with this value: 65536 ranks of a power-law graph at effort fast, with the
/// same number of look-ups, 453.1 to 437.4 million hop-bytes.
const MANY: usize = 64;

/// Marks a rank without tables.
const NONE: u32 = u32::MAX;

/// The cost tables of the ranks of a window that are [watched](Self::watch).
pub(super) struct Watched<A, const D: usize> {
    layout: Layout<D>,
    /// The index of the row of each rank, or [`NONE`]; empty if no rank is watched.
    number: Vec<u32>,
    /// The tables of every watched rank, one row a rank.
    rows: Vec<A>,
    /// By how many hops the rank of the last [move](Self::note_move) is further from each position
    /// of a row.
    change: Vec<i64>,
    /// Along which axes the last move went.
    moved: [bool; D],
}

impl<A: Amount, const D: usize> Watched<A, D> {
    /// No rank of a window with these sides.
    pub(super) fn none(sides: &[usize; D]) -> Self {
        let layout = Layout::new(sides);
        Self {
            number: Vec::new(),
            rows: Vec::new(),
            change: vec![0; layout.width()],
            moved: [false; D],
            layout,
        }
    }

    /// Whether a rank with so many partners is a hub.
    pub(super) fn is_hub(partners: usize) -> bool {
        partners > MANY
    }

    /// Watches one more rank of a window with `ranks` ranks; `tables` holds its costs.
    pub(super) fn watch(&mut self, rank: usize, ranks: usize, tables: &Tables<A, D>) {
        self.number.resize(ranks, NONE);
        self.number[rank] = (self.rows.len() / self.layout.width()) as u32;
        self.rows.extend_from_slice(tables.row());
    }

    /// The tables of a rank, if it is watched.
    #[inline]
    pub(super) fn row(&self, rank: usize) -> Option<&[A]> {
        let &number = self.number.get(rank)?;
        let first = number as usize * self.layout.width();
        self.rows.get(first..first + self.layout.width())
    }

    /// Hop-bytes of a rank at a position inside the window, if the rank is watched.
    #[inline]
    pub(super) fn cost(&self, rank: usize, position: &Position<D>) -> Option<A> {
        Some(self.layout.cost(self.row(rank)?, position))
    }

    /// Computes by how many hops a move of a rank changes its distance to every position of a row.
    /// [`follow`](Self::follow) applies the change to the tables of one partner of that rank.
    pub(super) fn note_move(&mut self, from: &Position<D>, to: &Position<D>, ring: &Position<D>) {
        if self.rows.is_empty() {
            return;
        }
        for axis in 0..D {
            self.moved[axis] = from[axis] != to[axis];
            let apart = |at: i32, partner: i32| {
                let apart = (at - partner).abs();
                apart.min(ring[axis] - apart)
            };
            for (at, change) in (0..).zip(&mut self.change[self.layout.along(axis)]) {
                *change = (apart(at, to[axis]) - apart(at, from[axis])).into();
            }
        }
    }

    /// Applies the move that was [noted](Self::note_move) last to the tables of `partner`, which
    /// exchanges `bytes` with the rank that moved. A partner without tables is left alone.
    #[inline]
    pub(super) fn follow(&mut self, partner: usize, bytes: u64) {
        let Some(&number) = self.number.get(partner).filter(|&&number| number != NONE) else {
            return;
        };
        let width = self.layout.width();
        let row = &mut self.rows[number as usize * width..][..width];
        for axis in (0..D).filter(|&axis| self.moved[axis]) {
            let along = self.layout.along(axis);
            for (cost, &change) in row[along.clone()].iter_mut().zip(&self.change[along]) {
                *cost += A::hop_bytes(bytes, change);
            }
        }
    }
}
