//! A table of the hops between two positions, by the difference of the positions.
//!
//! On a grid, hops depend on the difference of two positions alone. Positions are numbered such
//! that equal differences of positions are equal differences of numbers. The table holds the hops
//! for each difference of numbers: one subtraction and one look-up, for any number of axes.
//! Partners sit near each other, so the few entries in use stay in the fastest cache.

use super::window::{Position, Shape};
use std::sync::Arc;

/// The most entries of a table: 128 MiB, enough for a million nodes along eight axes.
const ENTRIES: usize = 1 << 26;

/// The hops for every difference of positions, shared by all windows of a machine.
#[derive(Clone, Debug)]
pub(super) struct HopTable<const D: usize> {
    /// The hops for every difference of numbers.
    table: Arc<[u16]>,
    /// The change of a position's number by one step along each axis.
    strides: Position<D>,
    /// The index of difference 0.
    zero: i32,
}

impl<const D: usize> HopTable<D> {
    /// `None` if the table would be too long, or a distance does not fit its entries.
    pub(super) fn new(shape: &Shape<D>) -> Option<Self> {
        let (size, ring) = (shape.size(), shape.ring());
        if size.iter().sum::<usize>() > usize::from(u16::MAX) {
            return None;
        }
        let differences = size.map(|k| 2 * k - 1);
        let entries = differences
            .iter()
            .try_fold(1, |all: usize, &k| all.checked_mul(k));
        entries.filter(|&entries| entries <= ENTRIES)?;
        let mut strides = [1; D];
        for axis in (1..D).rev() {
            strides[axis - 1] = strides[axis] * differences[axis] as i32;
        }
        let mut table: Vec<u16> = vec![0];
        for axis in 0..D {
            let away = |step: i32| (step.abs()).min(ring[axis] - step.abs()) as u16;
            let furthest = size[axis] as i32 - 1;
            let along: Vec<u16> = (-furthest..=furthest).map(away).collect();
            let longer = table
                .iter()
                .flat_map(|&so_far| along.iter().map(move |hops| so_far + hops));
            table = longer.collect();
        }
        Some(Self {
            zero: table.len() as i32 / 2,
            table: table.into(),
            strides,
        })
    }

    /// The number of a position.
    #[inline]
    pub(super) fn number(&self, at: &Position<D>) -> i32 {
        at.iter()
            .zip(&self.strides)
            .map(|(at, stride)| at * stride)
            .sum()
    }

    /// Hops between two positions, given by their numbers.
    #[inline]
    pub(super) fn hops(&self, a: i32, b: i32) -> i64 {
        i64::from(self.table[(self.zero + a - b) as usize])
    }
}
