//! The order in which ranks send to their receivers: a section behind the rows to which it belongs.

use super::behind::{LastRows, of_rows};
use super::section;
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

/// Adds the orders of a section to their rows.
pub(super) fn read(section: &Section, rows: LastRows<'_>) -> Result<()> {
    of_rows(section, rows, "orders", |row: &mut Row, order: Vec<u32>| {
        if !names_receivers(row, &order) {
            let problem = "an order of other ranks than the receivers";
            return Err(corrupt(section.offset, problem));
        }
        row.order = order;
        Ok(())
    })
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
