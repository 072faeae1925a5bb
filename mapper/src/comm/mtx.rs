//! Matrix Market coordinate files: entry (i, j) = bytes sent by rank i to rank j, 1-based.
//!
//! Read: `integer`, `real` or `pattern` (every entry 1 byte), `general` or `symmetric`; duplicates add up,
//! the diagonal is dropped. Written: `integer general`.
//! The format is that of Boisvert, Pozo & Remington, NISTIR 5935 (1996).

use super::{CommError, CommGraph, Message, Reader};
use crate::ids::Rank;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// `.mtx` among the readers.
pub(super) const READER: Reader = Reader {
    ending: "mtx",
    summary: "Matrix Market coordinate matrix, entry (i, j) = bytes from rank i to rank j",
    read,
};

/// Larger worlds than this are taken for a broken header, before anything is allocated for them.
const MOST_RANKS: u64 = 1 << 24;

/// Entries a header may reserve room for; a longer list grows as it is read.
const RESERVE: u64 = 1 << 16;

/// Reads a `.mtx` file.
///
/// # Errors
/// [`CommError::Unreadable`], or [`CommError::Malformed`] naming file and line.
pub fn read(path: &Path) -> Result<CommGraph, CommError> {
    let file = File::open(path).map_err(|source| unreadable(path, source))?;
    read_from(BufReader::with_capacity(1 << 20, file), path)
}

/// Reads the same from anywhere; `path` is what errors name.
///
/// # Errors
/// As [`read`].
pub fn read_from(input: impl BufRead, path: &Path) -> Result<CommGraph, CommError> {
    let mut lines = Lines {
        input,
        path,
        line: Vec::new(),
        number: 0,
    };
    let header = Header::read(&mut lines)?;
    let messages = entries(&mut lines, &header)?;
    CommGraph::from_messages(header.ranks as usize, messages)
        .map_err(|error| lines.malformed(error.to_string()))
}

/// Writes a graph as `integer general`, entries ordered by row, then column.
///
/// # Errors
/// Whatever `output` returns.
pub fn write(graph: &CommGraph, mut output: impl Write) -> io::Result<()> {
    writeln!(output, "%%MatrixMarket matrix coordinate integer general")?;
    let ranks = graph.ranks();
    writeln!(output, "{ranks} {ranks} {}", graph.pairs())?;
    for m in graph.messages() {
        writeln!(output, "{} {} {}", m.from.0 + 1, m.to.0 + 1, m.bytes)?;
    }
    output.flush()
}

fn unreadable(path: &Path, source: io::Error) -> CommError {
    CommError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

/// The lines of a file, one buffer for all of them.
struct Lines<'a, R> {
    input: R,
    path: &'a Path,
    line: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<'_, R> {
    /// Moves to the next line; false at the end of the file.
    fn advance(&mut self) -> Result<bool, CommError> {
        self.line.clear();
        let read = self.input.read_until(b'\n', &mut self.line);
        self.number += 1;
        Ok(read.map_err(|source| unreadable(self.path, source))? > 0)
    }

    /// Moves to the next line that is neither blank nor a comment.
    fn advance_to_data(&mut self) -> Result<bool, CommError> {
        while self.advance()? {
            if !matches!(self.line.trim_ascii_start().first(), None | Some(b'%')) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn malformed(&self, problem: impl Into<String>) -> CommError {
        CommError::Malformed {
            path: self.path.to_owned(),
            line: self.number,
            problem: problem.into(),
        }
    }
}

struct Header {
    ranks: u64,
    entries: u64,
    pattern: bool,
    symmetric: bool,
}

impl Header {
    fn read<R: BufRead>(lines: &mut Lines<'_, R>) -> Result<Self, CommError> {
        lines.advance()?;
        let (pattern, symmetric) = kind(&lines.line).map_err(|p| lines.malformed(p))?;
        if !lines.advance_to_data()? {
            return Err(lines.malformed("the size line (rows columns entries) is missing"));
        }
        let (ranks, entries) = size(&lines.line).map_err(|p| lines.malformed(p))?;
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
                "{field:?} entries are no byte counts: use integer, real or pattern"
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
            "the matrix has {rows} rows and {columns} columns: it must be square, a row and a column a rank"
        ));
    }
    match rows {
        0 => Err("the matrix is empty (0 ranks): profile a run with at least one rank".into()),
        1..=MOST_RANKS => Ok((rows, entries)),
        _ => Err(format!(
            "{rows} ranks are more than the {MOST_RANKS} supported"
        )),
    }
}

fn entries<R: BufRead>(
    lines: &mut Lines<'_, R>,
    header: &Header,
) -> Result<Vec<Message>, CommError> {
    let mut messages = Vec::with_capacity(header.entries.min(RESERVE) as usize);
    let mut count = 0;
    while lines.advance_to_data()? {
        if count == header.entries {
            return Err(lines.malformed(format!(
                "more entries than the {count} the size line announces"
            )));
        }
        count += 1;
        let message = entry(&lines.line, header).map_err(|p| lines.malformed(p))?;
        messages.push(message);
        if header.symmetric && message.from != message.to {
            messages.push(Message {
                from: message.to,
                to: message.from,
                ..message
            });
        }
    }
    if count < header.entries {
        return Err(lines.malformed(format!(
            "the file ends after {count} of the {} entries the size line announces: is it complete?",
            header.entries
        )));
    }
    Ok(messages)
}

fn entry(line: &[u8], header: &Header) -> Result<Message, String> {
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
    let value = match (header.pattern, fields.next()) {
        (true, value) => {
            if value.is_some() {
                return Err("a pattern entry is a row and a column only".into());
            }
            return Ok(Message { from, to, bytes: 1 });
        }
        (false, value) => value.ok_or("the entry has no byte count")?,
    };
    if fields.next().is_some() {
        return Err("the entry has more than a row, a column and a byte count".into());
    }
    let bytes = bytes(value)?;
    Ok(Message { from, to, bytes })
}

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|f| !f.is_empty())
}

/// A whole number without sign, if it fits.
fn whole(field: &[u8]) -> Option<u64> {
    field.iter().try_fold(0u64, |n, digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        n.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A byte count, whole or written as a real number.
fn bytes(field: &[u8]) -> Result<u64, String> {
    if let Some(bytes) = whole(field) {
        return Ok(bytes);
    }
    let text = String::from_utf8_lossy(field);
    let Ok(value) = text.parse::<f64>() else {
        return Err(format!("{text:?} is not a number of bytes"));
    };
    if !value.is_finite() {
        return Err(format!("{text} bytes: the count must be finite"));
    }
    if value < 0.0 {
        return Err(format!("{text} bytes: the count must not be negative"));
    }
    if value.fract() != 0.0 {
        return Err(format!(
            "{text} is a fraction of a byte: scale the matrix to whole bytes"
        ));
    }
    if value >= 2f64.powi(63) {
        return Err(format!("{text} bytes exceed 2^63: scale the matrix down"));
    }
    Ok(value as u64)
}

#[cfg(test)]
mod tests;
