//! CSV files: a list of messages, or a dense matrix. Semicolons and tabs separate values as well as
//! commas.
//!
//! A list has one line for each pair: source, destination, bytes and, if counted, messages. Ranks
//! count from 0. A header may name the columns in any order; other columns are ignored. The highest
//! rank named is the last rank of the world. If the last ranks are silent, the writer therefore
//! ends the list with a line of zeros for the last rank.
//!
//! A matrix has one line for each sender and one column for each receiver. It may have a header
//! line and a first column with names of the ranks. Without a header, 3 or 4 columns are read as a
//! list, unless there are as many lines as columns. Then the diagonal decides: if it is zero, the
//! file is a matrix; otherwise it is ambiguous and refused.

use super::mat::Rows;
use super::text::{self, Lines};
use super::{Keeps, Mark, Read, Reader, Writer};
use rankfold_base::Rank;
use rankfold_graph::{Builder, CommError, Entry, Result, Traffic, WriteError};
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::path::Path;

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending("csv"),
    summary: "comma-separated list source,destination,bytes[,messages], or dense matrix",
    read: Read::Matrix(|path| Ok(read(path)?.into())),
    phases: None,
};

/// Entry in [`WRITERS`](super::WRITERS).
pub(super) const WRITER: Writer = Writer {
    ending: "csv",
    summary: "comma-separated list source,destination,bytes,messages",
    keeps: Keeps {
        direction: true,
        itself: true,
        messages: true,
        weights: false,
    },
    write,
};

/// Names that a header may give to the columns of a list, in lower case. The first name of each is
/// the one written.
const SOURCE: &[&str] = &["source", "src", "from", "sender", "i", "row"];
const DESTINATION: &[&str] = &[
    "destination",
    "dst",
    "dest",
    "to",
    "receiver",
    "target",
    "j",
    "col",
    "column",
];
const BYTES: &[&str] = &["bytes", "size", "volume", "weight"];
/// Text that may stand in the corner of a matrix, above the names of its rows.
const CORNERS: &[&[u8]] = &[b"", b"rank", b"source", b"from"];
const MESSAGES: &[&str] = &["messages", "msgs", "count", "calls"];

fn read(path: &Path) -> Result<Traffic> {
    parse(Lines::open(path)?)
}

fn parse<R: BufRead>(lines: Lines<'_, R>) -> Result<Traffic> {
    let mut table = Table {
        lines,
        ahead: VecDeque::new(),
    };
    let Some((number, first)) = table.next()? else {
        return Err(table.lines.malformed("the file is empty"));
    };
    let head = cells(&first);
    if head.iter().all(|cell| number_like(cell)) {
        let columns = head.len();
        table.ahead.push_back((number, first));
        return match columns {
            3 | 4 => table.list_or_matrix(columns),
            _ => table.matrix(false, ""),
        };
    }
    match Columns::named(&head) {
        Some(columns) => table.list(&columns),
        None if head.len() == 1 => {
            let problem = "one column: commas, semicolons or tabs separate the columns";
            Err(table.malformed(number, problem))
        }
        None => table.labelled_matrix(&head),
    }
}

/// Index of each column of a list.
struct Columns {
    source: usize,
    destination: usize,
    bytes: usize,
    messages: Option<usize>,
}

impl Columns {
    /// Order of the columns in a list without a header.
    fn usual(count: usize) -> Self {
        Self {
            source: 0,
            destination: 1,
            bytes: 2,
            messages: (count > 3).then_some(3),
        }
    }

    fn named(head: &[&[u8]]) -> Option<Self> {
        let place = |names: &[&str]| {
            head.iter().position(|cell| {
                let cell = String::from_utf8_lossy(cell).to_ascii_lowercase();
                names.contains(&&*cell)
            })
        };
        Some(Self {
            source: place(SOURCE)?,
            destination: place(DESTINATION)?,
            bytes: place(BYTES)?,
            messages: place(MESSAGES),
        })
    }

    fn entry(&self, cells: &[&[u8]]) -> Result<Entry, String> {
        let cell = |place: usize, what: &str| {
            let cell = cells.get(place).filter(|cell| !cell.is_empty());
            cell.ok_or_else(|| format!("the line has no {what}"))
        };
        let messages = match self.messages {
            Some(place) => {
                let cell = cell(place, MESSAGES[0])?;
                text::whole(cell).ok_or_else(|| {
                    let cell = String::from_utf8_lossy(cell);
                    format!("{cell:?} is not a number of messages")
                })?
            }
            None => 0,
        };
        Ok(Entry {
            from: Rank(text::rank(SOURCE[0], cell(self.source, SOURCE[0])?)?),
            to: Rank(text::rank(
                DESTINATION[0],
                cell(self.destination, DESTINATION[0])?,
            )?),
            bytes: text::bytes(cell(self.bytes, BYTES[0])?)?,
            messages,
        })
    }
}

/// The lines that are neither blank nor comments. Lines read ahead are kept in `ahead`.
struct Table<'a, R> {
    lines: Lines<'a, R>,
    ahead: VecDeque<(usize, Vec<u8>)>,
}

impl<R: BufRead> Table<'_, R> {
    fn next(&mut self) -> Result<Option<(usize, Vec<u8>)>> {
        match self.ahead.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.fetch(),
        }
    }

    fn fetch(&mut self) -> Result<Option<(usize, Vec<u8>)>> {
        let more = self.lines.advance_to_data(b'#')?;
        Ok(more.then(|| (self.lines.number(), self.lines.text().to_owned())))
    }

    /// Reads a file of 3 or 4 columns without a header.
    fn list_or_matrix(mut self, columns: usize) -> Result<Traffic> {
        while self.ahead.len() <= columns
            && let Some(line) = self.fetch()?
        {
            self.ahead.push_back(line);
        }
        if self.ahead.len() != columns {
            return self.list(&Columns::usual(columns));
        }
        let zero = |(i, (_, line)): (usize, &(usize, Vec<u8>))| {
            cells(line)
                .get(i)
                .is_some_and(|cell| text::bytes(cell) == Ok(0))
        };
        if self.ahead.iter().enumerate().all(zero) {
            return self.matrix(false, "");
        }
        Err(self.lines.malformed(format!(
            "{columns} lines of {columns} numbers may be a list of messages or a matrix: \
             put the header source,destination,bytes{} before a list, or names of the ranks before a matrix",
            if columns == 4 { ",messages" } else { "" }
        )))
    }

    fn list(mut self, columns: &Columns) -> Result<Traffic> {
        let mut traffic = Builder::growing();
        while let Some((number, line)) = self.next()? {
            let entry = columns.entry(&cells(&line));
            let pushed = entry.and_then(|e| traffic.push(e).map_err(|error| error.to_string()));
            pushed.map_err(|problem| self.malformed(number, &problem))?;
        }
        traffic.finish().map_err(|error| self.lines.refused(&error))
    }

    /// Reads a matrix that has a header and perhaps a name before each row.
    fn labelled_matrix(mut self, head: &[&[u8]]) -> Result<Traffic> {
        let corner = head.first().map(|cell| cell.to_ascii_lowercase());
        let mut labelled = corner.is_some_and(|cell| CORNERS.contains(&&*cell));
        if let Some(first) = self.fetch()? {
            let row = cells(&first.1);
            labelled |= row.len() > head.len() || !row.first().is_some_and(|c| number_like(c));
            self.ahead.push_back(first);
        }
        self.matrix(
            labelled,
            ", and a list needs the names source,destination,bytes",
        )
    }

    /// Reads a matrix. If `labelled`, the first cell of each row is a name and is skipped. `advice`
    /// is appended to messages about the shape of the matrix.
    fn matrix(mut self, labelled: bool, advice: &str) -> Result<Traffic> {
        let mut rows = Rows::default();
        while let Some((number, line)) = self.next()? {
            let row = rows.add(cells(&line).into_iter().skip(labelled.into()));
            row.map_err(|problem| self.malformed(number, &format!("{problem}{advice}")))?;
        }
        let all = rows.finish();
        all.map_err(|problem| self.lines.malformed(format!("{problem}{advice}")))
    }

    fn malformed(&self, number: usize, problem: &str) -> CommError {
        CommError::malformed(self.lines.path(), number, problem)
    }
}

/// The cells of a line, without the spaces and quotation marks around them. Where semicolons
/// separate cells, a comma is the decimal point of a number.
fn cells(line: &[u8]) -> Vec<&[u8]> {
    let comma = if line.contains(&b';') { b';' } else { b',' };
    line.split(|&byte| byte == comma || byte == b'\t')
        .map(|cell| {
            let cell = cell.trim_ascii();
            let inner = cell.strip_prefix(b"\"").and_then(|c| c.strip_suffix(b"\""));
            inner.unwrap_or(cell)
        })
        .collect()
}

/// Whether a cell is a number; cells of a header are not.
fn number_like(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|text| text.parse::<f64>().is_ok())
}

fn write(traffic: &Traffic, output: &mut dyn Write) -> Result<(), WriteError> {
    let counted = traffic.counts_messages();
    let (head, none) = if counted {
        (",messages", ",0")
    } else {
        ("", "")
    };
    writeln!(output, "source,destination,bytes{head}")?;
    for e in traffic.entries() {
        if counted {
            writeln!(output, "{},{},{},{}", e.from, e.to, e.bytes, e.messages)?;
        } else {
            writeln!(output, "{},{},{}", e.from, e.to, e.bytes)?;
        }
    }
    let named = traffic
        .entries()
        .map(|e| e.from.max(e.to).index() + 1)
        .max();
    let last = traffic.ranks() - 1;
    if named < Some(traffic.ranks()) {
        writeln!(output, "{last},{last},0{none}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
