//! The turns of ranks: sections behind the rows to which they belong.

use super::behind::{LastRows, of_rows};
use super::lists::chunks;
use super::section;
use crate::container::{Section, Tag};
use crate::error::Result;
use crate::turns::Turns;
use std::io::Write;

pub(super) const TAG: Tag = *b"turn";

/// Writes the turns of some rows of `phase`, the first of which is that of rank `first`. Nothing is
/// written if none were recorded.
pub(super) fn write(out: &mut dyn Write, phase: u32, first: u64, turns: &[Turns]) -> Result<()> {
    if turns.iter().all(|own| *own == Turns::NotRecorded) {
        return Ok(());
    }
    for (before, some) in chunks(turns, Turns::size) {
        section::write(
            out,
            TAG,
            &(phase, first + before, some),
            "the turns of one rank",
        )?;
    }
    Ok(())
}

/// Adds the turns of a section to their rows.
pub(super) fn read(section: &Section, rows: LastRows<'_>) -> Result<()> {
    of_rows(section, rows, "turns", |row, turns| {
        row.turns = turns;
        Ok(())
    })
}
