//! Matrix Market coordinate files: entry (i, j) = bytes sent by rank i to rank j, 1-based.
//!
//! Reads `integer`, `real` or `pattern` entries (a pattern entry is 1 byte) of `general` or
//! `symmetric` matrices. Duplicates are added up. Writes `integer general`. The diagonal holds what
//! ranks send to themselves. The format is defined by Boisvert, Pozo & Remington, NISTIR 5935
//! (1996).

use super::text::{self, Lines, MAX_RANKS, fields, whole};
use super::{Keeps, Mark, Read, Reader, Writer};
use rankfold_base::Rank;
use rankfold_graph::{Builder, Entry, Result, Traffic, WriteError};
use std::cmp::Ordering;
use std::io::{BufRead, Write};
use std::path::Path;

/// Ending of the names of these files.
pub const ENDING: &str = "mtx";

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending("mtx"),
    summary: "Matrix Market coordinate matrix, entry (i, j) = bytes from rank i to rank j",
    read: Read::Matrix(|path| Ok(read(path)?.into())),
    phases: None,
};

/// Entry in [`WRITERS`](super::WRITERS).
pub(super) const WRITER: Writer = Writer {
    ending: ENDING,
    summary: "Matrix Market coordinate matrix, integer general",
    keeps: Keeps {
        direction: true,
        itself: true,
        messages: false,
        weights: false,
    },
    write,
};

/// First character of a comment line.
const COMMENT: u8 = b'%';

/// Reads a `.mtx` file.
///
/// # Errors
/// [`rankfold_graph::CommError::Unreadable`], or [`rankfold_graph::CommError::Malformed`] naming
/// file and line.
pub fn read(path: &Path) -> Result<Traffic> {
    parse(Lines::open(path)?)
}

fn parse<R: BufRead>(mut lines: Lines<'_, R>) -> Result<Traffic> {
    let header = Header::read(&mut lines)?;
    let mut traffic = Builder::new(header.ranks as usize);
    let (mut count, mut half) = (0, Ordering::Equal);
    while lines.advance_to_data(COMMENT)? {
        if count == header.entries {
            return Err(lines.malformed(format!(
                "more entries than the {count} the size line announces"
            )));
        }
        count += 1;
        let entry = entry(lines.current(), &header).map_err(|p| lines.malformed(p))?;
        if header.symmetric && entry.from != entry.to {
            let now = entry.from.cmp(&entry.to);
            if half == now.reverse() {
                return Err(lines.malformed(
                    "a symmetric matrix has entries on one side of its diagonal only: write general in the first line",
                ));
            }
            half = now;
        }
        let mirrored = (header.symmetric && entry.from != entry.to).then_some(Entry {
            from: entry.to,
            to: entry.from,
            ..entry
        });
        for entry in [entry].into_iter().chain(mirrored) {
            let pushed = traffic.push(entry);
            pushed.map_err(|error| lines.malformed(error.to_string()))?;
        }
    }
    if count < header.entries {
        return Err(lines.malformed(format!(
            "the file ends after {count} of the {} entries the size line announces: is it complete?",
            header.entries
        )));
    }
    traffic.finish().map_err(|error| lines.refused(&error))
}

/// Writes `integer general`, with entries ordered by row, then column. Pairs without bytes have no
/// entry.
///
/// # Errors
/// Whatever `output` returns.
pub fn write(traffic: &Traffic, output: &mut dyn Write) -> Result<(), WriteError> {
    write_with_comment(traffic, "", output)
}

/// As [`write()`], with a comment of one line; none if `comment` is empty.
///
/// # Errors
/// Whatever `output` returns.
pub fn write_with_comment(
    traffic: &Traffic,
    comment: &str,
    output: &mut dyn Write,
) -> Result<(), WriteError> {
    writeln!(output, "%%MatrixMarket matrix coordinate integer general")?;
    if !comment.is_empty() {
        writeln!(output, "% {comment}")?;
    }
    let ranks = traffic.ranks();
    let entries = || traffic.entries().filter(|entry| entry.bytes > 0);
    writeln!(output, "{ranks} {ranks} {}", entries().count())?;
    for e in entries() {
        writeln!(output, "{} {} {}", e.from.0 + 1, e.to.0 + 1, e.bytes)?;
    }
    Ok(())
}

struct Header {
    ranks: u64,
    entries: u64,
    pattern: bool,
    symmetric: bool,
}

impl Header {
    fn read<R: BufRead>(lines: &mut Lines<'_, R>) -> Result<Self> {
        lines.advance()?;
        let (pattern, symmetric) = kind(lines.current()).map_err(|p| lines.malformed(p))?;
        if !lines.advance_to_data(COMMENT)? {
            return Err(lines.malformed("the size line (rows columns entries) is missing"));
        }
        let (ranks, entries) = size(lines.current()).map_err(|p| lines.malformed(p))?;
        Ok(Self {
            ranks,
            entries,
            pattern,
            symmetric,
        })
    }
}

/// Whether the banner says `pattern`, and whether it says `symmetric`.
fn kind(line: &[u8]) -> Result<(bool, bool), String> {
    let banner = String::from_utf8_lossy(line).to_ascii_lowercase();
    let words: Vec<&str> = banner.split_whitespace().collect();
    let ["%%matrixmarket", "matrix", layout, field, symmetry, ..] = words[..] else {
        return Err("not a Matrix Market file: the first line must be \
             \"%%MatrixMarket matrix coordinate integer general\" or alike"
            .into());
    };
    if layout != "coordinate" {
        return Err(format!(
            "{layout:?} matrices are not read: write it as a coordinate matrix"
        ));
    }
    let pattern = match field {
        "pattern" => true,
        "integer" | "real" => false,
        _ => {
            return Err(format!(
                "{field:?} entries are not byte counts: use integer, real or pattern"
            ));
        }
    };
    match symmetry {
        "general" => Ok((pattern, false)),
        "symmetric" => Ok((pattern, true)),
        _ => Err(format!(
            "{symmetry:?} matrices are not read: use general or symmetric"
        )),
    }
}

/// World size and number of entries.
fn size(line: &[u8]) -> Result<(u64, u64), String> {
    let numbers: Option<Vec<u64>> = fields(line).map(whole).collect();
    let Some(&[rows, columns, entries]) = numbers.as_deref() else {
        return Err("the size line must be three whole numbers: rows columns entries".into());
    };
    if rows != columns {
        return Err(format!(
            "the matrix has {rows} rows and {columns} columns: it must be square, with a row and a column for every rank"
        ));
    }
    match rows {
        0 => Err("the matrix is empty (0 ranks): profile a run with at least one rank".into()),
        1..=MAX_RANKS => Ok((rows, entries)),
        _ => Err(format!(
            "{rows} ranks are more than the {MAX_RANKS} supported"
        )),
    }
}

fn entry(line: &[u8], header: &Header) -> Result<Entry, String> {
    let mut fields = fields(line);
    let mut rank = |what| {
        let index = fields.next().ok_or("an entry needs a row and a column")?;
        match whole(index) {
            Some(i @ 1..) if i <= header.ranks => Ok(Rank(i as u32 - 1)),
            _ => Err(format!(
                "{what} {} is not between 1 and {}",
                String::from_utf8_lossy(index),
                header.ranks
            )),
        }
    };
    let (from, to) = (rank("row")?, rank("column")?);
    let bytes = match (header.pattern, fields.next()) {
        (true, None) => 1,
        (true, Some(_)) => return Err("a pattern entry is a row and a column only".into()),
        (false, None) => return Err("the entry has no byte count".into()),
        (false, Some(value)) => text::bytes(value)?,
    };
    if fields.next().is_some() {
        return Err("the entry has more than a row, a column and a byte count".into());
    }
    Ok(Entry {
        from,
        to,
        bytes,
        messages: 0,
    })
}

#[cfg(test)]
mod tests;
