//! File formats that communication is read from and written to.
//!
//! [`Readers`] are the formats that a program reads: those of this crate ([`READERS`]) and those of
//! the crates that it adds to them.
#![forbid(unsafe_code)]

pub mod content;
pub mod csv;
pub mod mat;
pub mod metis;
pub mod monitoring;
pub mod mtx;
mod readers;
pub mod rfp;
pub mod scotch;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
pub mod undirected;

use rankfold_collectives::Model;
use rankfold_graph::{CommError, Declared, Result, Traffic, WriteError};
pub use readers::Readers;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads the names of the phases in a file, in order.
pub type ReadPhases = fn(&Path) -> Result<Vec<String>>;

/// A file format that communication is read from. Every format has a file of its own.
/// [`Readers::read`] selects the reader by the ending of the file name, or by the content of the
/// file where no reader has that ending.
#[derive(Debug)]
pub struct Reader {
    /// How files of the format are recognised.
    pub mark: Mark,
    /// One line that describes the format.
    pub summary: &'static str,
    /// The reading function.
    pub read: Read,
    /// The names of the phases in a file, in order. `None` for formats without phases.
    pub phases: Option<ReadPhases>,
}

/// How files of a format are recognised.
#[derive(Debug)]
pub enum Mark {
    /// By the ending of the file name, without the dot.
    Ending(&'static str),
    /// By the content of the file.
    Content {
        /// Name of the format in messages.
        name: &'static str,
        /// Whether a file that starts with these bytes is of the format.
        recognises: fn(&[u8]) -> bool,
    },
}

/// How a format is read. All errors name the file.
#[derive(Debug)]
pub enum Read {
    /// One matrix from one file.
    Matrix(fn(&Path) -> Result<Reading>),
    /// A profile: a part of a run from one file.
    Profile(fn(&Path, &RunPart<'_>) -> Result<Reading>),
    /// A part of a run from one or several files.
    Set(fn(&[PathBuf], &RunPart<'_>) -> Result<Reading>),
}

/// The part of a run that a caller asks for.
#[derive(Clone, Copy, Default)]
pub struct RunPart<'a> {
    /// Name of a phase; `None` for the whole run.
    pub phase: Option<&'a str>,
    /// How collectives are treated.
    pub collectives: Collectives,
    /// Values that the user gives for variables and options of a launch.
    pub settings: &'a [(String, String)],
}

/// How the collectives of a run are treated. A profile counts their calls; which pairs of ranks
/// exchange bytes is only known from a model.
#[derive(Clone, Copy, Default)]
pub enum Collectives {
    /// Collectives are left out.
    #[default]
    LeftOut,
    /// Collectives are left out. A note says so if a placement can change what they cost.
    LeftOutWithNote,
    /// Collectives are added if a placement can change what they cost: as the MPI library sent
    /// them, if the profile holds that, and otherwise expanded by the default model. A note says
    /// so.
    IfTheyCanMatter,
    /// Collectives are expanded by this model. The default model gives way to what the MPI library
    /// sent, if the profile holds that.
    By(&'static dyn Model),
    /// Collectives are added as the MPI library sent them.
    AsSent,
}

/// The result of reading a run.
#[derive(Debug)]
pub struct Reading {
    /// Bytes and messages of every pair.
    pub traffic: Traffic,
    /// The topologies that the program declared.
    pub declared: Declared,
    /// The host of every rank of the run; empty where the input does not tell.
    pub hosts: Vec<String>,
    /// Remarks for the user on how the traffic was obtained, one sentence each.
    pub notes: Vec<String>,
}

impl From<Traffic> for Reading {
    fn from(traffic: Traffic) -> Self {
        Self {
            traffic,
            declared: Declared::default(),
            hosts: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// A file format that communication is written in. Every format has a file of its own and is listed
/// in [`WRITERS`].
#[derive(Debug)]
pub struct Writer {
    /// Ending of the file name, without the dot.
    pub ending: &'static str,
    /// One line that describes the format.
    pub summary: &'static str,
    /// What the format can hold.
    pub keeps: Keeps,
    /// The writing function.
    pub write: fn(&Traffic, &mut dyn Write) -> Result<(), WriteError>,
}

/// What a format can hold. These parts are read back exactly as written.
#[derive(Clone, Copy, Debug)]
pub struct Keeps {
    /// The two directions of a pair separately.
    pub direction: bool,
    /// Messages of ranks to themselves.
    pub itself: bool,
    /// Numbers of messages, and so pairs that exchange messages but no bytes.
    pub messages: bool,
    /// The weights of ranks.
    pub weights: bool,
}

/// The formats of this crate that can be read.
pub const READERS: &[Reader] = &[
    rfp::READER,
    mtx::READER,
    csv::READER,
    monitoring::READER,
    mat::READER,
    metis::READER,
    scotch::READER,
    mat::BY_CONTENT,
];

/// All formats that can be written.
pub const WRITERS: &[Writer] = &[
    mtx::WRITER,
    csv::WRITER,
    monitoring::WRITER,
    mat::WRITER,
    metis::WRITER,
    scotch::WRITER,
];

/// Selects the writer by the ending of a file name.
///
/// # Errors
/// [`CommError::UnknownFormat`].
pub fn writer(path: &Path) -> Result<&'static Writer> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let writer = WRITERS.iter().find(|writer| Some(writer.ending) == ending);
    writer.ok_or_else(|| CommError::UnknownFormat {
        path: path.to_owned(),
        known: WRITERS
            .iter()
            .map(|w| format!(".{}", w.ending))
            .collect::<Vec<_>>()
            .join(", "),
    })
}

impl Writer {
    /// The parts of `traffic` that this format cannot hold, one phrase each. Empty if the file is
    /// read back as it was written.
    #[must_use]
    pub fn losses(&self, traffic: &Traffic) -> Vec<&'static str> {
        let mut losses = Vec::new();
        if !self.keeps.messages && traffic.counts_messages() {
            losses.push(
                "the numbers of messages, and pairs that only exchange messages without bytes",
            );
        }
        if traffic.knows_partner_orders() {
            losses.push("the order in which ranks send to their partners");
        }
        if traffic.knows_turns() {
            losses.push("the turns in which ranks exchange messages");
        }
        if !self.keeps.weights && !traffic.weights().is_empty() {
            losses.push("the weights of ranks");
        }
        if !self.keeps.itself && traffic.entries().any(|e| e.from == e.to) {
            losses.push("messages of ranks to themselves");
        }
        if !self.keeps.direction && !undirected::is_symmetric(traffic) {
            losses.push(
                "how the bytes of a pair are split between its directions (an edge has their sum)",
            );
        }
        losses
    }
}
