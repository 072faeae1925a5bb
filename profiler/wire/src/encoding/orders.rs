//! The order in which ranks send to their receivers: a section behind the rows to which it belongs.

use super::section::{self, parse};
use crate::container::{Section, Tag, corrupt};
use crate::error::Result;
use crate::profile::Row;
use std::io::Write;

pub(super) const TAG: Tag = *b"ordr";

/// Writes the orders of some rows of `phase`, the first of which is that of rank `first`. Orders
/// that are all empty are not written.
pub(super) fn write(
    out: &mut dyn Write,
    phase: u32,
    first: u64,
    orders: &[Vec<u32>],
) -> Result<()> {
    if orders.iter().all(Vec::is_empty) {
        return Ok(());
    }
    let what = "the order of the receivers of one rank";
    section::write(out, TAG, &(phase, first, orders), what)
}

/// The orders of the receivers of some rows.
pub(super) struct Orders {
    pub(super) phase: u32,
    first: u64,
    orders: Vec<Vec<u32>>,
    offset: u64,
}

impl Orders {
    pub(super) fn parse(section: &Section) -> Result<Self> {
        let (phase, first, orders) = parse(section)?;
        Ok(Self {
            phase,
            first,
            orders,
            offset: section.offset,
        })
    }

    /// Adds the orders to their rows. `rows` are the last that were read, and the first of them is
    /// that of rank `rank`.
    pub(super) fn add_to(self, rows: &mut [Row], rank: u64) -> Result<()> {
        let wrong = |problem: &str| corrupt(self.offset, problem);
        let start = self.first.checked_sub(rank).map(usize::try_from);
        let rows = start.and_then(|start| rows.get_mut(start.ok()?..));
        let rows = rows.filter(|rows| rows.len() >= self.orders.len());
        let rows = rows.ok_or_else(|| wrong("orders of rows that do not come right before"))?;
        for (row, order) in rows.iter_mut().zip(self.orders) {
            if !names_receivers(row, &order) {
                return Err(wrong("an order of other ranks than the receivers"));
            }
            row.order = order;
        }
        Ok(())
    }
}

/// Whether `order` names receivers of the row, none of them twice.
fn names_receivers(row: &Row, order: &[u32]) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    let receives = |rank: &u32| {
        row.peers
            .binary_search_by_key(rank, |peer| peer.rank)
            .is_ok()
    };
    sorted.is_sorted_by(|a, b| a < b) && sorted.iter().all(receives)
}
