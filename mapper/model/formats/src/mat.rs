//! `TreeMatch` matrices: one line a rank, one number a receiver, separated by white space.
//!
//! Entry (i, j) is the number of bytes from rank i to rank j. Open MPI's monitoring tools write
//! half the bytes of both directions into (i, j) and (j, i) instead; the sum over the file is the
//! same.

use super::content::HEAD;
use super::text::{self, Lines, MAX_RANKS, fields};
use super::{Keeps, Mark, Read, Reader, Writer};
use rankfold_base::Rank;
use rankfold_graph::{Builder, CommError, Entry, Result, Traffic, WriteError};
use std::io::{BufRead, Write};
use std::path::Path;

/// Entry in [`READERS`](super::READERS).
pub(super) const READER: Reader = Reader {
    mark: Mark::Ending("mat"),
    summary: "TreeMatch matrix: one line of byte counts for each rank",
    read: Read::Matrix(|path| Ok(read(path)?.into())),
    phases: None,
};

/// The same matrix with any other ending. Entry in [`READERS`](super::READERS).
pub(super) const BY_CONTENT: Reader = Reader {
    mark: Mark::Content {
        name: "matrix",
        recognises: is_square,
    },
    ..READER
};

/// Whether the beginning of a file is that of a square matrix: lines with as many numbers, which
/// spaces separate, as there are lines. Of a long file only the first lines are known.
pub(super) fn is_square(head: &[u8]) -> bool {
    let is_number = |cell: &[u8]| text::bytes(cell).is_ok();
    let (mut columns, mut rows, mut seen) = (0, 0, 0);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        seen += line.len();
        // The last line may be cut.
        if seen == head.len() && head.len() as u64 >= HEAD && !line.ends_with(b"\n") {
            return rows > 0 && columns > rows;
        }
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let count = fields(line).count();
        if rows == 0 {
            columns = count;
        }
        if line.contains(&b'\t') || count != columns || !fields(line).all(is_number) {
            return false;
        }
        rows += 1;
    }
    columns > 1 && (rows == columns || (head.len() as u64 >= HEAD && rows < columns))
}

/// Entry in [`WRITERS`](super::WRITERS).
pub(super) const WRITER: Writer = Writer {
    ending: "mat",
    summary: "TreeMatch matrix: one line of byte counts for each rank",
    keeps: Keeps {
        direction: true,
        itself: true,
        messages: false,
        weights: false,
    },
    write,
};

/// Most ranks of a dense matrix that is written: more would be over a billion numbers. Chosen by
/// hand; not measured.
const MAX_WRITTEN: usize = 1 << 15;

fn read(path: &Path) -> Result<Traffic> {
    parse(Lines::open(path)?)
}

fn parse<R: BufRead>(mut lines: Lines<'_, R>) -> Result<Traffic> {
    let mut rows = Rows::default();
    while lines.advance_to_data(b'#')? {
        let row = rows.add(fields(lines.current()));
        row.map_err(|problem| lines.malformed(problem))?;
    }
    rows.finish().map_err(|problem| lines.malformed(problem))
}

/// The rows of a dense square matrix, added one by one.
#[derive(Default)]
pub(super) struct Rows {
    traffic: Option<Builder>,
    columns: usize,
    rows: usize,
}

impl Rows {
    /// Adds the next row.
    pub(super) fn add<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let cells: Vec<&[u8]> = cells.collect();
        if self.rows == 0 {
            self.columns = cells.len();
        }
        let columns = self.columns;
        if columns as u64 > MAX_RANKS {
            return Err(format!(
                "{columns} ranks are more than the {MAX_RANKS} supported"
            ));
        }
        if cells.len() != columns {
            return Err(format!(
                "{} numbers where the first row has {columns}",
                cells.len()
            ));
        }
        if self.rows == columns {
            return Err(format!(
                "more than {columns} rows of {columns} numbers: the matrix must be square, with a row and a column for every rank"
            ));
        }
        let traffic = self.traffic.get_or_insert_with(|| Builder::new(columns));
        for (to, cell) in cells.into_iter().enumerate() {
            let entry = Entry {
                from: Rank::at(self.rows),
                to: Rank::at(to),
                bytes: text::bytes(cell)?,
                messages: 0,
            };
            traffic.push(entry).map_err(|error| error.to_string())?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Returns the whole matrix.
    pub(super) fn finish(self) -> Result<Traffic, String> {
        let (rows, columns) = (self.rows, self.columns);
        let Some(traffic) = self.traffic else {
            return Err(CommError::Empty.to_string());
        };
        if rows < columns {
            return Err(format!(
                "the file ends after {rows} rows of {columns} numbers: the matrix must be square; is it complete?"
            ));
        }
        traffic.finish().map_err(|error| error.to_string())
    }
}

fn write(traffic: &Traffic, output: &mut dyn Write) -> Result<(), WriteError> {
    let ranks = traffic.ranks();
    if ranks > MAX_WRITTEN {
        return Err(WriteError::Refused(format!(
            "a dense matrix of {ranks} ranks would hold {} numbers: choose a sparse format such as .mtx",
            ranks as u128 * ranks as u128
        )));
    }
    let mut row = vec![0; ranks];
    for from in (0..ranks).map(Rank::at) {
        for entry in traffic.row(from) {
            row[entry.to.index()] = entry.bytes;
        }
        let cells: Vec<String> = row.iter().map(u64::to_string).collect();
        writeln!(output, "{}", cells.join(" "))?;
        row.fill(0);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{entries_of, lines, refusals, round_trip};
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> Result<Traffic> {
        parse(lines(text, "a.mat"))
    }

    #[test]
    fn rows_are_senders_and_real_numbers_are_read_when_whole() {
        let read = text("0 5 0 \n 1e2\t7 0\r\n\n0 0 0\n").unwrap();
        assert_eq!(read.ranks(), 3);
        assert_eq!(
            entries_of(&read),
            [(0, 1, 5, 0), (1, 0, 100, 0), (1, 1, 7, 0)]
        );
    }

    #[test]
    fn a_square_of_numbers_is_a_matrix_whatever_its_ending() {
        for square in [
            "0 1\n1 0\n",
            "# a\n\n0 1 2\r\n1 0 3\r\n1 1 0",
            " 0  5 \n5e1 0\n",
        ] {
            assert!(is_square(square.as_bytes()), "{square:?}");
        }
        for other in [
            "",
            "1\n",
            "0 1\n",
            "0 1 5\n1 0 6\n",
            "0 x\n1 0\n",
            "0\t1\n1\t0\n",
        ] {
            assert!(!is_square(other.as_bytes()), "{other:?}");
        }
        let scratch = tempfile::tempdir().unwrap();
        for ending in ["txt", "csv", "mtx", "dat"] {
            let path = scratch.path().join("a").with_extension(ending);
            std::fs::write(&path, "0 5\n7 0\n").unwrap();
            let read = super::super::testing::ALL
                .read(&[path], &super::super::RunPart::default())
                .unwrap();
            assert_eq!(
                entries_of(&read.traffic),
                [(0, 1, 5, 0), (1, 0, 7, 0)],
                "{ending}"
            );
        }
    }

    #[test]
    fn every_mistake_is_named_with_its_line() {
        refusals(
            text,
            &[
                ("", "a.mat:1: the communication matrix is empty"),
                ("0 1\n", "a.mat:2: the file ends after 1 rows of 2"),
                ("0 1\n0\n", "a.mat:2: 1 numbers where the first row has 2"),
                ("0 1\n1 0\n\n1 1\n", "a.mat:4: more than 2 rows"),
                ("0 1\n-1 0\n", "a.mat:2: -1 bytes"),
                ("0 x\n", "a.mat:1: \"x\" is not a number"),
            ],
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(traffic in super::super::testing::traffic(false)) {
            prop_assert_eq!(round_trip(&WRITER, text, &traffic), traffic);
        }
    }
}
