//! Tables of the cost of a rank at every position of a window, one table for each axis.
//!
//! Hops on a grid add up over the axes, and so do hop-bytes: the cost of a position is the sum of
//! one table entry for each axis. Along an axis the cost is piecewise linear, with a kink at every
//! partner and, on a ring, another kink opposite to it. All entries follow from the first entry,
//! the first slope and the kinks, in time O(partners + side).

use super::window::Position;
use crate::amount::Amount;
use std::ops::Range;

/// Where the tables of a rank lie in one row, the table of the first axis first.
#[derive(Clone)]
pub(super) struct Layout<const D: usize> {
    /// The first entry of each axis.
    first: [usize; D],
    sides: [usize; D],
}

impl<const D: usize> Layout<D> {
    pub(super) fn new(sides: &[usize; D]) -> Self {
        Self {
            first: std::array::from_fn(|axis| sides[..axis].iter().sum()),
            sides: *sides,
        }
    }

    /// The number of entries of a row.
    #[inline]
    pub(super) fn width(&self) -> usize {
        self.first[D - 1] + self.sides[D - 1]
    }

    /// The entries of one axis.
    #[inline]
    pub(super) fn along(&self, axis: usize) -> Range<usize> {
        self.first[axis]..self.first[axis] + self.sides[axis]
    }

    /// Hop-bytes at a position inside the window.
    #[inline]
    pub(super) fn cost<A: Amount>(&self, row: &[A], position: &Position<D>) -> A {
        let entries = self.first.iter().zip(position);
        entries.map(|(first, &at)| row[first + at as usize]).sum()
    }
}

/// The cost tables of one rank.
#[derive(Clone)]
pub(super) struct Tables<A, const D: usize> {
    layout: Layout<D>,
    row: Vec<A>,
}

impl<A: Amount, const D: usize> Tables<A, D> {
    pub(super) fn new(sides: &[usize; D]) -> Self {
        let layout = Layout::new(sides);
        Self {
            row: vec![A::default(); layout.width()],
            layout,
        }
    }

    /// The tables of all axes in one row.
    pub(super) fn row(&self) -> &[A] {
        &self.row
    }

    /// Fills the tables for a rank, from the positions of its partners and the bytes exchanged with
    /// each.
    pub(super) fn fill<'a>(
        &mut self,
        partners: &(impl Iterator<Item = (&'a Position<D>, u64)> + Clone),
        ring: &Position<D>,
    ) {
        for axis in 0..D {
            let partners = partners.clone();
            let along = partners.map(|(position, bytes)| (position[axis], bytes));
            fill(&mut self.row[self.layout.along(axis)], along, ring[axis]);
        }
    }

    /// Takes over the row of another rank's tables.
    pub(super) fn copy(&mut self, row: &[A]) {
        self.row.copy_from_slice(row);
    }

    /// Hop-bytes of the rank at a position inside the window.
    #[inline]
    pub(super) fn cost(&self, position: &Position<D>) -> A {
        self.layout.cost(&self.row, position)
    }

    /// The cheapest position; along each axis, the first among equals.
    pub(super) fn median(&self) -> Position<D> {
        std::array::from_fn(|axis| {
            let table = &self.row[self.layout.along(axis)];
            let cheapest = (0..table.len()).min_by_key(|&at| table[at]);
            cheapest.unwrap_or(0) as i32
        })
    }
}

fn fill<A: Amount>(table: &mut [A], partners: impl Iterator<Item = (i32, u64)>, ring: i32) {
    table.fill(A::default());
    let side = table.len() as i32;
    let is_ring = side <= ring && ring < i32::MAX / 2;
    let (mut first, mut slope) = (A::default(), A::default());
    let mut kink = |at: i32, bytes: u64, change: i64| {
        if (0..side).contains(&at) {
            table[at as usize] += A::hop_bytes(bytes, change);
        }
    };
    for (at, bytes) in partners {
        let apart = |from: i32| {
            let apart = (at - from).abs();
            apart.min(ring - apart)
        };
        first += A::hop_bytes(bytes, apart(0).into());
        slope += A::hop_bytes(bytes, (apart(1) - apart(0)).into());
        kink(at, bytes, 2);
        if is_ring {
            let opposite = |half: i32| (at + half) % ring;
            if ring % 2 == 0 {
                kink(opposite(ring / 2), bytes, -2);
            } else {
                kink(opposite(ring / 2), bytes, -1);
                kink(opposite(ring / 2 + 1), bytes, -1);
            }
        }
    }
    let mut cost = first;
    table[0] = cost;
    for entry in &mut table[1..] {
        let kink = std::mem::replace(entry, cost + slope);
        cost += slope;
        slope += kink;
    }
}
