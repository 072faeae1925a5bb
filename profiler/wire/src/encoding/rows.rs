//! Writes the rows of a matrix, section by section.

use super::lists::CHUNK;
use super::orders;
use super::section::CODEC;
use super::turns;
use crate::container::{self, LIMIT, Tag};
use crate::error::{Fault, Result};
use crate::profile::Row;
use crate::turns::Turns;
use std::io::{self, Write};

/// The section that is being filled.
struct Section<'a> {
    out: &'a mut dyn Write,
    tag: Tag,
    /// First bytes of the section's body.
    start: &'a [u8],
    /// Number of the phase.
    phase: u32,
    /// Number of rows in the sections before this one.
    before: u64,
    rows: usize,
    /// Number of peers in all rows of the section.
    peers: usize,
    /// The rows as bytes of the file.
    bytes: Vec<u8>,
    /// The order of the receivers of each row.
    orders: Vec<Vec<u32>>,
    /// The turns of each row.
    turns: Vec<Turns>,
}

/// Writes the rows of `phase` from `source` in sections whose bodies begin with `start`, and
/// returns the number of rows. Sections are cut in the way of [`super::lists::chunks`]. Each is
/// followed by sections with the orders and the turns of its rows, if any row has some.
pub(super) fn write(
    out: &mut dyn Write,
    tag: Tag,
    start: &[u8],
    phase: u32,
    source: impl FnOnce(&mut dyn FnMut(&Row)) -> io::Result<()>,
) -> Result<u64> {
    let mut section = Section {
        out,
        tag,
        start,
        phase,
        before: 0,
        rows: 0,
        peers: 0,
        bytes: Vec::new(),
        orders: Vec::new(),
        turns: Vec::new(),
    };
    let mut written = Ok(());
    source(&mut |row| {
        if written.is_ok() {
            written = section.append(row);
        }
    })?;
    written?;
    section.close()?;
    Ok(section.before)
}

impl Section<'_> {
    fn append(&mut self, row: &Row) -> Result<()> {
        if self.rows == CHUNK || self.peers + row.peers.len() > CHUNK {
            self.close()?;
        }
        bincode::serde::encode_into_std_write(&row.peers, &mut self.bytes, CODEC)
            .map_err(|_| Fault::TooLarge(ROW))?;
        self.orders.push(row.order.clone());
        self.turns.push(row.turns.clone());
        self.rows += 1;
        self.peers += row.peers.len();
        Ok(())
    }

    /// Writes the section unless it is empty, and begins the next one.
    fn close(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let rows = self.rows as u64;
        let head = [self.before, rows].map(u64::to_le_bytes);
        let body = [self.start, head.as_flattened(), &self.bytes].concat();
        if body.len() > LIMIT {
            return Err(Fault::TooLarge(ROW));
        }
        container::write_section(self.out, self.tag, &body)?;
        orders::write(self.out, self.phase, self.before, &self.orders)?;
        turns::write(self.out, self.phase, self.before, &self.turns)?;
        self.before += rows;
        (self.rows, self.peers) = (0, 0);
        self.bytes.clear();
        self.orders.clear();
        self.turns.clear();
        Ok(())
    }
}

/// What the error for a section that is too large names.
const ROW: &str = "the row of one rank";
