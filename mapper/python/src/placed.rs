//! A search, and the placement it has found.

use crate::error::{mapper, refused};
use crate::input::{Graph, Input};
use crate::machine::{MachineHandle, text};
use crate::table::column;
use crate::work::wait_for;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankfold_assess::Case;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, Mapfile};
use rankfold_mapper::cli::constraints::ConstraintArgs;
use rankfold_mapper::cli::report::{Cost, Report};
use rankfold_mapper::cli::report_command::{about, with_search};
use rankfold_mapper::cli::search::note;
use rankfold_mapper::cli::{launched, named, write_mapfile};
use rankfold_mapper::error::Error as MapperError;
use rankfold_report::gather::ReportInput;
use rankfold_report::page;
use rankfold_search::select::{Portfolio, Request, Selection, select_together};
use rankfold_search::team::Alone;
use rankfold_wire::Profile;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A placement with everything that led to it.
#[pyclass(frozen, module = "rankfold._native")]
pub(crate) struct Placed {
    /// What the report calls the input.
    name: String,
    /// Remarks, one sentence each.
    #[pyo3(get)]
    notes: Vec<String>,
    /// The keys of `rankfold map --json`.
    #[pyo3(get)]
    json: String,
    /// What `rankfold map` prints.
    #[pyo3(get)]
    text: String,
    found: Arc<Found>,
}

/// The search and what was searched for.
struct Found {
    graph: Arc<CommGraph>,
    machine: Arc<Machine>,
    profile: Arc<Option<Profile>>,
    selection: Selection,
}

/// Searches for a placement as `rankfold map` does.
#[pyfunction]
#[pyo3(signature = (input, machine, *, objective, effort, seed, heuristic, exchange, refine, constraints, seconds, threads))]
#[expect(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "they are the options of the command, and Python's list of strings is converted"
)]
pub(crate) fn search(
    py: Python<'_>,
    input: &Input,
    machine: &MachineHandle,
    objective: &str,
    effort: &str,
    seed: u64,
    heuristic: &str,
    exchange: &str,
    refine: bool,
    constraints: Vec<String>,
    seconds: Option<f64>,
    threads: usize,
) -> PyResult<Placed> {
    let lines = constraints.iter().map(String::as_str);
    let constraints = ConstraintArgs::of_lines(lines, "constraints").map_err(refused)?;
    let request = Request {
        heuristic: Some(heuristic.to_owned()),
        objective: named::objective(objective).map_err(mapper)?,
        effort: named::effort(effort).map_err(mapper)?,
        seed,
        time: seconds.map(duration).transpose()?,
        loops: None,
        refine,
        portfolio: Portfolio::default(),
    };
    let exchanging = named::exchange(exchange).map_err(mapper)?;
    let Graph { graph, mut notes } = input.graph(py)?;
    let graph = match exchange {
        "auto" => graph,
        _ => Arc::new(exchanging.of(CommGraph::clone(&graph))),
    };
    let profile = input.profile(py)?;
    let machine = machine.machine.clone();
    let hosts = profile
        .as_ref()
        .as_ref()
        .map(|profile| &profile.manifest.hosts[..]);
    let launched = launched::placement(hosts.unwrap_or_default(), &machine);
    let (wanted_request, place, on) = (request.clone(), graph.clone(), machine.clone());
    let found = wait_for(py, move |wanted| {
        let start = Instant::now();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| {
            pool.install(|| {
                let watch = |_| wanted.check();
                let case = Case::new(&place, &on).launched(launched);
                let case = constraints.apply(case)?;
                let found = select_together(case, &wanted_request, &Alone, &watch)?;
                Ok::<_, MapperError>((found, start.elapsed(), rayon::current_num_threads()))
            })
        })
    })?;
    let (selection, took, threads) = found.map_err(refused)?.map_err(mapper)?;
    notes.extend(note(&selection));
    let cost = Cost {
        seconds: took.as_secs_f64(),
        threads,
    };
    let found = Arc::new(Found {
        graph,
        machine,
        profile,
        selection,
    });
    let reported = found.clone();
    let (json, lines) = wait_for(py, move |_| reported.report(&request, cost))?;
    Ok(Placed {
        name: input.name().to_owned(),
        notes,
        json: text(json.map_err(refused)?)?,
        text: lines,
        found,
    })
}

/// The longest search in seconds: a month of 30 days.
const LONGEST: f64 = 2_592_000.0;

fn duration(seconds: f64) -> PyResult<Duration> {
    if seconds > 0.0 && seconds <= LONGEST {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(refused(format!(
            "seconds {seconds}: must be above 0 and at most {LONGEST}"
        )))
    }
}

impl Found {
    fn placement(&self) -> &Placement {
        self.selection.winner().1.placement()
    }

    /// The keys of `rankfold map --json`, and the lines that the command prints.
    fn report(&self, request: &Request, cost: Cost) -> (serde_json::Result<Vec<u8>>, String) {
        let placement = self.selection.winner().1.placement();
        let report = Report::of_selection(&self.selection, &self.machine, request, cost).assuming(
            &self.graph,
            &self.machine,
            placement,
        );
        (report.json(), report.to_string())
    }

    /// The report as an HTML page.
    fn html(&self, title: &str) -> String {
        let mut scene = ReportInput::new(title, &self.graph);
        if let Some(profile) = self.profile.as_ref() {
            scene = scene.with_profile(profile);
        }
        let about = about(self.selection.launched.is_some()).into();
        page::html(&with_search(scene, &self.selection, &self.machine, about))
    }

    fn mapfile(&self, format: &str) -> PyResult<Mapfile> {
        let format = mapfile::format(format).map_err(mapper)?;
        let written = format.write(self.placement(), &self.machine);
        written.map_err(mapper)
    }
}

#[pymethods]
impl Placed {
    /// The slot of every rank, as 64-bit integers.
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let slots = self.found.placement().slots().iter();
        column(py, slots.map(|slot| (slot.index() as u64).to_ne_bytes()))
    }

    /// The node of every rank, as 64-bit integers.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let nodes = self.found.placement().nodes(self.found.machine.slots());
        let nodes = nodes.into_iter();
        column(py, nodes.map(|node| (node.index() as u64).to_ne_bytes()))
    }

    /// The main file of a mapfile.
    fn mapfile(&self, format: &str) -> PyResult<Vec<u8>> {
        Ok(self.found.mapfile(format)?.content)
    }

    /// Writes a mapfile. Returns the line that tells how to launch with it.
    #[expect(clippy::needless_pass_by_value, reason = "Python hands a path over")]
    fn write(&self, path: PathBuf, format: &str) -> PyResult<String> {
        let written = self.found.mapfile(format)?;
        write_mapfile::write(&written, &path).map_err(mapper)
    }

    /// The report as an HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let (found, title) = (self.found.clone(), self.name.clone());
        wait_for(py, move |_| found.html(&title))
    }
}
