//! Communication: read from files in any format of the command line, or given pair by pair.

use crate::details;
use crate::error::{mapper, refused};
use crate::machine::text;
use crate::table::{column, values};
use crate::work::wait_for;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankfold_base::Rank;
use rankfold_formats::{Collectives, Reading, RunPart};
use rankfold_graph::{CommGraph, Declared, Entry, Traffic};
use rankfold_mapper::cli::analyze::Analysis;
use rankfold_mapper::cli::{input, launched, named};
use rankfold_mapper::error::Error;
use rankfold_mapper::members::READERS;
use rankfold_report::gather::{ReportInput, gather};
use rankfold_report::page;
use rankfold_wire::Profile;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// What ranks send each other.
#[pyclass(frozen, module = "rankfold._native")]
pub(crate) struct Input {
    /// What the report and the user call it.
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    notes: Vec<String>,
    traffic: Arc<Traffic>,
    source: Source,
    graph: OnceLock<Graph>,
    profile: OnceLock<Arc<Option<Profile>>>,
}

/// Where the communication comes from.
#[derive(Clone)]
enum Source {
    Files(Files),
    Pairs(Arc<Traffic>),
}

/// A part of a run in files.
#[derive(Clone)]
struct Files {
    paths: Vec<PathBuf>,
    phase: Option<String>,
    collectives: Option<String>,
}

/// The graph that placements are searched for.
#[derive(Clone)]
pub(crate) struct Graph {
    pub(crate) graph: Arc<CommGraph>,
    pub(crate) notes: Vec<String>,
}

impl Files {
    fn read(&self, by_default: Collectives) -> Result<Reading, Error> {
        let collectives = named::collectives(self.collectives.as_deref(), by_default)?;
        let phase = self.phase.as_deref();
        let part = RunPart {
            phase,
            collectives,
            settings: &[],
        };
        Ok(READERS.read(&self.paths, &part)?)
    }
}

impl Source {
    fn graph(&self) -> Result<Graph, Error> {
        let reading = match self {
            Self::Files(files) => files.read(Collectives::IfTheyCanMatter)?,
            Self::Pairs(traffic) => Reading {
                traffic: Traffic::clone(traffic),
                declared: Declared::default(),
                hosts: Vec::new(),
                notes: Vec::new(),
            },
        };
        let path = match self {
            Self::Files(files) => files.paths[0].clone(),
            Self::Pairs(_) => "matrix".into(),
        };
        let notes = reading.notes.clone();
        let graph = Arc::new(input::graph_of(reading, &path)?);
        Ok(Graph { graph, notes })
    }
}

/// Reads the files of one run.
#[pyfunction]
#[pyo3(signature = (paths, *, phase=None, collectives=None))]
pub(crate) fn read(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    phase: Option<String>,
    collectives: Option<String>,
) -> PyResult<Input> {
    let first = paths.first().ok_or_else(|| refused("no file is named"))?;
    let name = first.file_name().unwrap_or(first.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let files = Files {
        paths,
        phase,
        collectives,
    };
    let source = Source::Files(files.clone());
    let reading = wait_for(py, move |_| files.read(Collectives::LeftOutWithNote))?;
    let reading = reading.map_err(mapper)?;
    Ok(Input {
        name,
        notes: reading.notes,
        traffic: Arc::new(reading.traffic),
        source,
        graph: OnceLock::new(),
        profile: OnceLock::new(),
    })
}

/// The communication of a world of `ranks` ranks, from columns of 64-bit integers.
#[pyfunction]
pub(crate) fn from_pairs(
    ranks: usize,
    senders: &[u8],
    receivers: &[u8],
    bytes: &[u8],
    messages: &[u8],
) -> PyResult<Input> {
    let rank = |value: u64| u32::try_from(value).map(Rank).map_err(refused);
    let pairs = values(senders).zip(values(receivers));
    let counts = values(bytes).zip(values(messages));
    let entries = pairs.zip(counts).map(|((from, to), (bytes, messages))| {
        Ok(Entry {
            from: rank(from)?,
            to: rank(to)?,
            bytes,
            messages,
        })
    });
    let entries: Vec<Entry> = entries.collect::<PyResult<_>>()?;
    let traffic = Arc::new(Traffic::from_entries(ranks, entries).map_err(mapper)?);
    Ok(Input {
        name: "matrix".into(),
        notes: Vec::new(),
        source: Source::Pairs(traffic.clone()),
        traffic,
        graph: OnceLock::new(),
        profile: OnceLock::new(),
    })
}

impl Input {
    /// What the report calls the input.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The graph that placements are searched for, read when it is first asked for.
    pub(crate) fn graph(&self, py: Python<'_>) -> PyResult<Graph> {
        if let Some(graph) = self.graph.get() {
            return Ok(graph.clone());
        }
        let source = self.source.clone();
        let graph = wait_for(py, move |_| source.graph())?.map_err(mapper)?;
        Ok(self.graph.get_or_init(|| graph).clone())
    }

    /// What the profile holds besides its matrices; `None` for other formats.
    pub(crate) fn profile(&self, py: Python<'_>) -> PyResult<Arc<Option<Profile>>> {
        if let Some(profile) = self.profile.get() {
            return Ok(profile.clone());
        }
        let profile = match self.source.clone() {
            Source::Files(files) => {
                let read = move |_: &_| launched::profile(&files.paths[0]);
                wait_for(py, read)?.map_err(mapper)?
            }
            Source::Pairs(_) => None,
        };
        Ok(self.profile.get_or_init(|| Arc::new(profile)).clone())
    }
}

#[pymethods]
impl Input {
    /// Number of ranks.
    #[getter]
    fn ranks(&self) -> usize {
        self.traffic.ranks()
    }

    /// Reads all that is read when it is first asked for: the files may go afterwards.
    fn load(&self, py: Python<'_>) -> PyResult<()> {
        self.graph(py)?;
        self.profile(py).map(drop)
    }

    /// Senders, receivers, bytes and messages of all pairs, as columns of 64-bit integers.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyBytes>; 4]> {
        let entries: Vec<Entry> = self.traffic.entries().collect();
        let of = |value: fn(&Entry) -> u64| {
            column(py, entries.iter().map(|entry| value(entry).to_ne_bytes()))
        };
        Ok([
            of(|entry| entry.from.index() as u64)?,
            of(|entry| entry.to.index() as u64)?,
            of(|entry| entry.bytes)?,
            of(|entry| entry.messages)?,
        ])
    }

    /// A table of the profile as JSON: metadata, collectives, times or sizes. `None` for formats
    /// that hold a matrix alone.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        let profile = self.profile(py)?;
        let Some(profile) = profile.as_ref() else {
            return Ok(None);
        };
        let table = details::table(profile, self.traffic.ranks(), name);
        let table = table.ok_or_else(|| refused(format!("there is no table {name}")))?;
        Ok(Some(table.map_err(refused)?))
    }

    /// The pattern: the keys of `rankfold analyze --json`, and the lines that the command prints.
    fn analyze(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let graph = self.graph(py)?.graph;
        let analysed = wait_for(py, move |_| {
            let analysis = Analysis::new(&graph);
            analysis.json().map(|json| (json, analysis.text(false)))
        })?;
        let (json, lines) = analysed.map_err(refused)?;
        Ok((text(json)?, lines))
    }

    /// The report on the communication alone, as an HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let (graph, profile) = (self.graph(py)?.graph, self.profile(py)?);
        let title = self.name.clone();
        wait_for(py, move |_| {
            let scene = ReportInput::new(&title, &graph);
            page::html(&gather(&match profile.as_ref() {
                Some(profile) => scene.with_profile(profile),
                None => scene,
            }))
        })
    }
}
