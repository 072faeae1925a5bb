//! Communication graphs: directed bytes between ranks, and the files they come from and go to.

pub mod csv;
mod error;
mod graph;
pub mod mat;
pub mod metis;
pub mod monitoring;
pub mod mtx;
pub mod rfp;
pub mod scotch;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod traffic;
pub mod undirected;

use std::io::Write;
use std::path::{Path, PathBuf};

pub use error::{CommError, WriteError};
pub use graph::{Affinity, CommGraph, Message};
pub use traffic::{Builder, Entry, Traffic};

/// A file format communication is read from. One file per format, listed in [`READERS`].
#[derive(Debug)]
pub struct Reader {
    /// The ending of the file name, without the dot.
    pub ending: &'static str,
    /// One line: what such a file is.
    pub summary: &'static str,
    /// Reads it.
    pub read: Read,
}

/// How a format is read; every error names the file.
#[derive(Debug)]
pub enum Read {
    /// From one file.
    Matrix(fn(&Path) -> Result<Traffic, CommError>),
    /// From one or several files of one run.
    Set(fn(&[PathBuf]) -> Result<Traffic, CommError>),
}

/// A file format communication is written in. One file per format, listed in [`WRITERS`].
#[derive(Debug)]
pub struct Writer {
    /// The ending of the file name, without the dot.
    pub ending: &'static str,
    /// One line: what such a file is.
    pub summary: &'static str,
    /// What the format has a place for.
    pub keeps: Keeps,
    /// Writes it.
    pub write: fn(&Traffic, &mut dyn Write) -> Result<(), WriteError>,
}

/// What a format has a place for. What it keeps is read back exactly as written.
#[derive(Clone, Copy, Debug)]
pub struct Keeps {
    /// Both directions of a pair by themselves.
    pub direction: bool,
    /// What ranks send to themselves.
    pub itself: bool,
    /// Numbers of messages, and so pairs with messages but no bytes.
    pub messages: bool,
}

/// Every format that is read.
pub const READERS: &[Reader] = &[
    rfp::READER,
    mtx::READER,
    csv::READER,
    monitoring::READER,
    mat::READER,
    metis::READER,
    scotch::READER,
];

/// Every format that is written.
pub const WRITERS: &[Writer] = &[
    mtx::WRITER,
    csv::WRITER,
    monitoring::WRITER,
    mat::WRITER,
    metis::WRITER,
    scotch::WRITER,
];

/// Reads the communication of one run; the ending of the first name tells the format.
///
/// # Errors
/// [`CommError`], always naming the file.
pub fn read(paths: &[PathBuf]) -> Result<Traffic, CommError> {
    let Some(path) = paths.first() else {
        return Err(CommError::Empty);
    };
    let ending = if monitoring::is_set(path) {
        Some(monitoring::READER.ending)
    } else {
        path.extension().and_then(|ending| ending.to_str())
    };
    let reader = READERS.iter().find(|reader| Some(reader.ending) == ending);
    let reader = reader.ok_or_else(|| CommError::UnknownFormat {
        path: path.clone(),
        does: "reader",
        known: known(READERS.iter().map(|r| (r.ending, r.summary))),
    })?;
    match (&reader.read, paths) {
        (Read::Set(read), paths) => read(paths),
        (Read::Matrix(read), [path]) => read(path),
        (Read::Matrix(_), [_, second, ..]) => Err(CommError::Refused {
            path: second.clone(),
            problem: format!(
                "a second file, but a .{} file is a whole run",
                reader.ending
            ),
        }),
        (Read::Matrix(_), []) => Err(CommError::Empty),
    }
}

/// The writer that the ending of a name asks for.
///
/// # Errors
/// [`CommError::UnknownFormat`].
pub fn writer(path: &Path) -> Result<&'static Writer, CommError> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let writer = WRITERS.iter().find(|writer| Some(writer.ending) == ending);
    writer.ok_or_else(|| CommError::UnknownFormat {
        path: path.to_owned(),
        does: "writer",
        known: known(WRITERS.iter().map(|w| (w.ending, w.summary))),
    })
}

impl Writer {
    /// What of `traffic` this format has no place for, one sentence each; none if it is read back as it was.
    #[must_use]
    pub fn losses(&self, traffic: &Traffic) -> Vec<&'static str> {
        let mut losses = Vec::new();
        if !self.keeps.messages && traffic.counts_messages() {
            losses.push(
                "the numbers of messages, and pairs that only exchange messages without bytes",
            );
        }
        if !self.keeps.itself && traffic.entries().any(|e| e.from == e.to) {
            losses.push("what ranks send to themselves");
        }
        if !self.keeps.direction && !undirected::is_halved(traffic) {
            losses.push("which direction of a pair had how many bytes (their sum is kept)");
        }
        losses
    }
}

fn known(formats: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let formats = formats.map(|(ending, summary)| format!(".{ending} ({summary})"));
    formats.collect::<Vec<_>>().join(", ")
}
