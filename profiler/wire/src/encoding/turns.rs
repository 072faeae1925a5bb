//! The turns of ranks: sections behind the rows to which they belong.

use super::lists::chunks;
use super::section::{self, parse};
use crate::container::{Section, Tag, corrupt};
use crate::error::Result;
use crate::profile::Row;
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

/// The turns of some rows.
pub(super) struct TurnsOfRows {
    pub(super) phase: u32,
    first: u64,
    turns: Vec<Turns>,
    offset: u64,
}

impl TurnsOfRows {
    pub(super) fn parse(section: &Section) -> Result<Self> {
        let (phase, first, turns) = parse(section)?;
        Ok(Self {
            phase,
            first,
            turns,
            offset: section.offset,
        })
    }

    /// Adds the turns to their rows. `rows` are the last that were read, and the first of them is
    /// that of rank `rank`.
    pub(super) fn add_to(self, rows: &mut [Row], rank: u64) -> Result<()> {
        let start = self.first.checked_sub(rank).map(usize::try_from);
        let rows = start.and_then(|start| rows.get_mut(start.ok()?..));
        let rows = rows.filter(|rows| rows.len() >= self.turns.len());
        let rows = rows
            .ok_or_else(|| corrupt(self.offset, "turns of rows that do not come right before"))?;
        for (row, turns) in rows.iter_mut().zip(self.turns) {
            row.turns = turns;
        }
        Ok(())
    }
}
