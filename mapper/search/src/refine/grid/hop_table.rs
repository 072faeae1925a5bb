//! Hops between two positions, looked up by their difference.
//!
//! On a grid hops depend on the difference alone. Positions get numbers such that equal differences
//! of positions are equal differences of numbers, and a table holds the hops of each: one
//! subtraction and one look-up, whatever the number of axes. Partners sit near each other, so that
//! the few entries in use stay in the fastest cache.

use super::window::{Position, Shape};
use std::sync::Arc;

/// Most entries of a table: 128 MiB of a machine with a million nodes along eight axes.
const ENTRIES: usize = 1 << 26;

/// Hops by difference, shared by all windows of a machine.
#[derive(Clone, Debug)]
pub(super) struct HopTable<const D: usize> {
    /// Hops of every difference, along the last axis fastest.
    table: Arc<[u16]>,
    /// How much one step along each axis changes a position's number.
    strides: Position<D>,
    /// Where the table holds the difference of a position to itself.
    zero: i32,
}

impl<const D: usize> HopTable<D> {
    /// `None` if the table would be too long or a distance too wide for it.
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

    /// Hops between the positions of two numbers.
    #[inline]
    pub(super) fn hops(&self, a: i32, b: i32) -> i64 {
        i64::from(self.table[(self.zero + a - b) as usize])
    }
}
