//! Helpers for text formats: numbered lines, whole numbers, byte counts.

use crate::content;
use rankfold_graph::{CommError, Result};
use std::io::BufRead;
use std::path::Path;

/// Most ranks that a file may announce. A larger number is taken for a broken file before any
/// memory is allocated. Sixteen times the million ranks that the benchmarks reach; chosen by hand.
pub(super) const MAX_RANKS: u64 = 1 << 24;

/// The lines of a file, read one at a time into one buffer.
pub(super) struct Lines<'a, R> {
    input: R,
    path: &'a Path,
    line: Vec<u8>,
    number: usize,
}

impl<'a> Lines<'a, Box<dyn BufRead>> {
    /// Opens a file, which gzip may have compressed.
    pub(super) fn open(path: &'a Path) -> Result<Self> {
        let input = content::open(path).map_err(|source| CommError::unreadable(path, source))?;
        Ok(Self::new(input, path))
    }
}

impl<'a, R: BufRead> Lines<'a, R> {
    /// The lines of any input. Errors name `path`.
    pub(super) fn new(input: R, path: &'a Path) -> Self {
        Self {
            input,
            path,
            line: Vec::new(),
            number: 0,
        }
    }

    /// Moves to the next line. Returns false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        let read = self.input.read_until(b'\n', &mut self.line);
        self.number += 1;
        Ok(read.map_err(|source| CommError::unreadable(self.path, source))? > 0)
    }

    /// Moves to the next line that does not start with `comment`; blank lines count.
    pub(super) fn advance_past(&mut self, comment: u8) -> Result<bool> {
        while self.advance()? {
            if self.line.trim_ascii_start().first() != Some(&comment) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves to the next line that is neither blank nor starts with `comment`.
    pub(super) fn advance_to_data(&mut self, comment: u8) -> Result<bool> {
        while self.advance_past(comment)? {
            if !self.current().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The current line, without the white space around it.
    pub(super) fn current(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// The current line with its white space, without the line end.
    pub(super) fn text(&self) -> &[u8] {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Path of the file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// 1-based number of the current line; one past the last line at the end of the file.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// An error that names the current line.
    pub(super) fn malformed(&self, problem: impl Into<String>) -> CommError {
        CommError::malformed(self.path, self.number, problem)
    }

    /// An error that names the file as a whole.
    pub(super) fn refused(&self, error: &CommError) -> CommError {
        CommError::refused(self.path, error)
    }
}

/// The words of a line.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|f| !f.is_empty())
}

/// Parses a whole number without sign. `None` if it is malformed or does not fit.
pub(super) fn whole(field: &[u8]) -> Option<u64> {
    if field.is_empty() {
        return None;
    }
    field.iter().try_fold(0u64, |n, digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        n.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Parses a rank of a world of unknown size; `what` names the field in the error.
pub(super) fn rank(what: &str, field: &[u8]) -> Result<u32, String> {
    match whole(field) {
        Some(rank) if rank < MAX_RANKS => Ok(rank as u32),
        _ => Err(format!(
            "{what} {:?} is not a rank (a whole number below {MAX_RANKS})",
            String::from_utf8_lossy(field)
        )),
    }
}

/// Parses a byte count, written as a whole number or as a real number without a fraction.
pub(super) fn bytes(field: &[u8]) -> Result<u64, String> {
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
