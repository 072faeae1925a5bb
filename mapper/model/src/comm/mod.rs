//! Communication graphs: directed bytes between ranks, and the files they come from and go to.

pub mod collective;
pub mod csv;
mod declared;
mod error;
pub mod exchange;
mod graph;
pub mod mat;
pub mod metis;
pub mod monitoring;
pub mod mtx;
pub mod rfp;
mod rows;
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

pub use collective::Model;
pub use declared::{Declared, DeclaredGraph, DeclaredGrid, GraphCall};
pub use error::{CommError, WriteError};
pub use graph::{Affinity, CommGraph, Message};
pub use traffic::{Builder, Entry, ToItself, Traffic};

/// A file format communication is read from. One file per format, listed in [`READERS`]; [`read`]
/// finds the one a name asks for.
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
    /// One matrix from one file.
    Matrix(fn(&Path) -> Result<Traffic, CommError>),
    /// A part of a run from one file.
    Profile(fn(&Path, &RunPart<'_>) -> Result<Reading, CommError>),
    /// A part of a run from one or several files.
    Set(fn(&[PathBuf], &RunPart<'_>) -> Result<Reading, CommError>),
}

/// What part of a run is asked for.
#[derive(Clone, Copy, Default)]
pub struct RunPart<'a> {
    /// The phase of this name; the whole run without.
    pub phase: Option<&'a str>,
    /// What becomes of collectives.
    pub collectives: Collectives,
}

/// What becomes of the collectives of a run, whose pairs are not measured but modelled.
#[derive(Clone, Copy, Default)]
pub enum Collectives {
    /// They are left out.
    #[default]
    LeftOut,
    /// They are left out, and it is said if those of sub-communicators have more bytes than all the
    /// rest.
    LeftOutWithNote,
    /// As `LeftOutWithNote`; but if the rest is less than a tenth of them, they are modelled as the MPI
    /// library would choose.
    ModelledIfDominant,
    /// They are modelled so.
    By(&'static dyn Model),
}

/// What was read.
#[derive(Debug)]
pub struct Reading {
    /// Bytes and messages of every pair.
    pub traffic: Traffic,
    /// What the program said of its pattern.
    pub declared: Declared,
    /// What a user should know of how it came about, one sentence each.
    pub notes: Vec<String>,
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
pub fn read(paths: &[PathBuf], part: &RunPart<'_>) -> Result<Reading, CommError> {
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
    let refuse = |path: &Path, problem: String| {
        Err(CommError::Refused {
            path: path.to_owned(),
            problem,
        })
    };
    let ending = reader.ending;
    match (&reader.read, paths) {
        (Read::Set(read), paths) => read(paths, part),
        (_, [_, second, ..]) => refuse(
            second,
            format!("a second file, but a .{ending} file is a whole run"),
        ),
        (Read::Profile(read), _) => read(path, part),
        (Read::Matrix(_), _) if part.phase.is_some() => refuse(
            path,
            format!("a .{ending} file has no phases: --phase needs a profile (.rfp)"),
        ),
        (Read::Matrix(_), _) if matches!(part.collectives, Collectives::By(_)) => refuse(
            path,
            format!(
                "a .{ending} file has no list of collectives: --collectives needs a profile (.rfp)"
            ),
        ),
        (Read::Matrix(read), _) => Ok(Reading {
            traffic: read(path)?,
            declared: Declared::default(),
            notes: Vec::new(),
        }),
    }
}

/// The names of the phases of a run, in the order of the profile.
///
/// # Errors
/// [`CommError`], naming the file: only profiles know of phases.
pub fn phases(paths: &[PathBuf]) -> Result<Vec<String>, CommError> {
    let path = paths.first().ok_or(CommError::Empty)?;
    let ending = path.extension().and_then(|ending| ending.to_str());
    if ending != Some(rfp::READER.ending) {
        return Err(CommError::Refused {
            path: path.clone(),
            problem: "it has no phases: --phases needs a profile (.rfp)".into(),
        });
    }
    rfp::phases(path)
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
    /// What of `traffic` this format has no place for, one sentence each; none if it is read back
    /// as it was.
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
