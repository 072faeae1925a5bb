//! Communication graphs (directed bytes between ranks), and the file formats they are read from and
//! written to.

pub mod collective;
pub mod csv;
mod declared;
mod error;
pub mod exchange;
pub mod generate;
mod gpu_jobs;
mod graph;
pub mod mat;
pub mod metis;
pub mod monitoring;
pub mod mtx;
mod partner_orders;
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
pub use partner_orders::PartnerOrders;
pub use traffic::{Builder, Entry, ToItself, Traffic};

/// A file format that communication is read from. Every format has a file of its own and is listed
/// in [`READERS`]. [`read`] selects the reader by the ending of the file name, or by the content of
/// the file where no reader has that ending.
#[derive(Debug)]
pub struct Reader {
    /// How files of the format are recognised.
    pub mark: Mark,
    /// One line that describes the format.
    pub summary: &'static str,
    /// The reading function.
    pub read: Read,
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

impl Reader {
    /// Name of the format in messages: the ending with its dot, or a name of its own.
    #[must_use]
    pub fn name(&self) -> String {
        match self.mark {
            Mark::Ending(ending) => format!(".{ending}"),
            Mark::Content { name, .. } => name.to_owned(),
        }
    }

    /// Whether the format has this ending.
    fn has_ending(&self, ending: Option<&str>) -> bool {
        matches!(self.mark, Mark::Ending(own) if Some(own) == ending)
    }

    /// Whether a file that starts with these bytes is of the format. False for formats that an
    /// ending marks.
    fn recognises(&self, head: &[u8]) -> bool {
        match self.mark {
            Mark::Ending(_) => false,
            Mark::Content { recognises, .. } => recognises(head),
        }
    }
}

/// How a format is read. All errors name the file.
#[derive(Debug)]
pub enum Read {
    /// One matrix from one file.
    Matrix(fn(&Path) -> Result<Traffic, CommError>),
    /// A profile: a part of a run from one file.
    Profile(fn(&Path, &RunPart<'_>) -> Result<Reading, CommError>),
    /// A part of a run from one or several files.
    Set(fn(&[PathBuf], &RunPart<'_>) -> Result<Reading, CommError>),
}

/// The part of a run that a caller asks for.
#[derive(Clone, Copy, Default)]
pub struct RunPart<'a> {
    /// Name of a phase; `None` for the whole run.
    pub phase: Option<&'a str>,
    /// How collectives are treated.
    pub collectives: Collectives,
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
    /// Remarks for the user on how the traffic was obtained, one sentence each.
    pub notes: Vec<String>,
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
}

/// All formats that can be read.
pub const READERS: &[Reader] = &[
    rfp::READER,
    mtx::READER,
    csv::READER,
    monitoring::READER,
    mat::READER,
    metis::READER,
    scotch::READER,
    gpu_jobs::flight_recorder::READER,
    gpu_jobs::torch_trace::READER,
    gpu_jobs::inspector::READER,
    gpu_jobs::comma::READER,
    gpu_jobs::chakra::READER,
    gpu_jobs::nccl_log::READER,
    gpu_jobs::launch_arguments::READER,
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

/// Reads the communication of one run. The ending of the first file name selects the format, or the
/// content of the first file where no format has that ending. A directory stands for the files in
/// it.
///
/// # Errors
/// [`CommError`], always naming the file.
pub fn read(paths: &[PathBuf], part: &RunPart<'_>) -> Result<Reading, CommError> {
    let Some(path) = paths.first() else {
        return Err(CommError::Empty);
    };
    if let [directory] = paths
        && directory.is_dir()
        && let Some((reader, files)) = gpu_jobs::recognised_in(directory, READERS)?
        && let Read::Set(read) = reader.read
    {
        return read(&files, part);
    }
    let ending = if monitoring::is_set(path) {
        Some(monitoring::ENDING)
    } else {
        path.extension().and_then(|ending| ending.to_str())
    };
    let by_ending = READERS.iter().find(|reader| reader.has_ending(ending));
    let by_content = || {
        let head = gpu_jobs::head(path);
        READERS.iter().find(|reader| reader.recognises(&head))
    };
    let reader = by_ending.or_else(by_content);
    let reader = reader.ok_or_else(|| match std::fs::metadata(path) {
        Err(source) if ending.is_none() => CommError::unreadable(path, source),
        _ => CommError::UnknownFormat {
            path: path.clone(),
            does: "reader",
            known: listed(READERS.iter().map(|r| (r.name(), r.summary))),
        },
    })?;
    let refuse = |path: &Path, problem: String| {
        Err(CommError::Refused {
            path: path.to_owned(),
            problem,
        })
    };
    let name = reader.name();
    match (&reader.read, paths) {
        (Read::Set(read), paths) => read(paths, part),
        (_, [_, second, ..]) => refuse(
            second,
            format!("a second file, but a {name} file is a whole run"),
        ),
        (Read::Profile(read), _) => read(path, part),
        (Read::Matrix(_), _) if part.phase.is_some() => refuse(
            path,
            format!("a {name} file has no phases: --phase needs a profile (.rfp)"),
        ),
        (Read::Matrix(_), _)
            if matches!(part.collectives, Collectives::By(_) | Collectives::AsSent) =>
        {
            refuse(
                path,
                format!(
                    "a {name} file has no list of collectives: --collectives needs a profile (.rfp)"
                ),
            )
        }
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
/// [`CommError`], naming the file: only profiles and launches have phases.
pub fn phases(paths: &[PathBuf]) -> Result<Vec<String>, CommError> {
    let path = paths.first().ok_or(CommError::Empty)?;
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !rfp::READER.has_ending(ending) {
        if gpu_jobs::launch_arguments::READER.recognises(&gpu_jobs::head(path)) {
            return Ok(gpu_jobs::launch_arguments::phases());
        }
        return Err(CommError::Refused {
            path: path.clone(),
            problem: "it has no phases: --phases needs a profile (.rfp) or the launch of a GPU job"
                .into(),
        });
    }
    rfp::phases(path)
}

/// Selects the writer by the ending of a file name.
///
/// # Errors
/// [`CommError::UnknownFormat`].
pub fn writer(path: &Path) -> Result<&'static Writer, CommError> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let writer = WRITERS.iter().find(|writer| Some(writer.ending) == ending);
    writer.ok_or_else(|| CommError::UnknownFormat {
        path: path.to_owned(),
        does: "writer",
        known: listed(
            WRITERS
                .iter()
                .map(|w| (format!(".{}", w.ending), w.summary)),
        ),
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
        if !self.keeps.itself && traffic.entries().any(|e| e.from == e.to) {
            losses.push("messages of ranks to themselves");
        }
        if !self.keeps.direction && !undirected::is_halved(traffic) {
            losses.push(
                "how the bytes of a pair are split between its directions (their sum is kept)",
            );
        }
        losses
    }
}

fn listed(formats: impl Iterator<Item = (String, &'static str)>) -> String {
    let formats = formats.map(|(name, summary)| format!("{name} ({summary})"));
    formats.collect::<Vec<_>>().join(", ")
}
