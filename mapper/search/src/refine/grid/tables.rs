//! Tables of the cost of a rank at every position of a window, one table for each axis.
//!
//! Hops on a grid add up over the axes, and so do hop-bytes: the cost of a position is the sum of
//! one table entry for each axis. Along an axis the cost is piecewise linear, with a kink at every
//! partner and, on a ring, another kink opposite to it. All entries follow from the first entry,
//! the first slope and the kinks, in time O(partners + side).

use super::window::Position;
use crate::refine::amount::Amount;

/// The cost tables of one rank.
#[derive(Clone)]
pub(super) struct Tables<A, const D: usize> {
    along: [Vec<A>; D],
}

impl<A: Amount, const D: usize> Tables<A, D> {
    pub(super) fn new(sides: &[usize; D]) -> Self {
        Self {
            along: sides.map(|side| vec![A::default(); side]),
        }
    }

    /// Fills the tables for a rank, from the positions of its partners and the bytes exchanged with
    /// each.
    pub(super) fn fill<'a>(
        &mut self,
        partners: &(impl Iterator<Item = (&'a Position<D>, u64)> + Clone),
        ring: &Position<D>,
    ) {
        for (axis, table) in self.along.iter_mut().enumerate() {
            let partners = partners.clone();
            let along = partners.map(|(position, bytes)| (position[axis], bytes));
            fill(table, along, ring[axis]);
        }
    }

    /// Takes over the tables of another rank.
    pub(super) fn copy(&mut self, other: &Self) {
        self.along.clone_from(&other.along);
    }

    /// Updates the tables after a partner's move from one position to another.
    pub(super) fn follow(
        &mut self,
        bytes: u64,
        from: &Position<D>,
        to: &Position<D>,
        ring: &Position<D>,
    ) {
        for (axis, table) in self.along.iter_mut().enumerate() {
            if from[axis] == to[axis] {
                continue;
            }
            let apart = |at: i32, partner: i32| {
                let apart = (at - partner).abs();
                apart.min(ring[axis] - apart)
            };
            for (at, cost) in (0..).zip(table) {
                let change = apart(at, to[axis]) - apart(at, from[axis]);
                *cost += A::hop_bytes(bytes, change.into());
            }
        }
    }

    /// Hop-bytes of the rank at a position inside the window.
    #[inline]
    pub(super) fn cost(&self, position: &Position<D>) -> A {
        let entries = self.along.iter().zip(position);
        entries.map(|(table, &at)| table[at as usize]).sum()
    }

    /// The cheapest position; along each axis, the first among equals.
    pub(super) fn median(&self) -> Position<D> {
        std::array::from_fn(|axis| {
            let table = &self.along[axis];
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
