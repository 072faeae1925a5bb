//! A search, and the placement it has found.

use crate::error::{mapper, refused};
use crate::input::{Graph, Input};
use crate::machine::{MachineHandle, text};
use crate::table::column;
use crate::work::wait_for;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile::{self as mapfile, Mapfile};
use rankfold_mapper::cli::as_launched::{self, Launched};
use rankfold_mapper::cli::report::{Cost, Report};
use rankfold_mapper::cli::report_command::with_search;
use rankfold_mapper::cli::search::note;
use rankfold_mapper::cli::{named, write_mapfile};
use rankfold_report::gather::{NamedPlacement, ReportInput};
use rankfold_report::page;
use rankfold_search::select::{
    Portfolio, Request, SelectError, Selection, name_in_words, select_together,
};
use rankfold_search::team::Alone;
use rankfold_wire::Profile;
use std::borrow::Cow;
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
#[pyo3(signature = (input, machine, *, objective, effort, seed, heuristic, exchange, refine, seconds, threads))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the options of the command"
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
    seconds: Option<f64>,
    threads: usize,
) -> PyResult<Placed> {
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
    let (wanted_request, place, on) = (request.clone(), graph.clone(), machine.clone());
    let found = wait_for(py, move |wanted| {
        let start = Instant::now();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| {
            pool.install(|| {
                let watch = |_| wanted.check();
                let graph = Cow::Borrowed(&*place);
                let found = select_together(graph, &on, &wanted_request, &Alone, &watch)?;
                Ok::<_, SelectError>((found, start.elapsed(), rayon::current_num_threads()))
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
    /// Where the ranks ran when they were profiled, if the machine has those hosts.
    fn launched(&self) -> Option<Placement> {
        let placement = as_launched::placement(self.profile.as_ref().as_ref()?, &self.machine);
        placement.filter(|placement| placement.ranks() == self.graph.ranks())
    }

    fn placement(&self) -> &Placement {
        &self.selection.winner().1.placement
    }

    /// The keys of `rankfold map --json`, and the lines that the command prints.
    fn report(&self, request: &Request, cost: Cost) -> (serde_json::Result<Vec<u8>>, String) {
        let (selection, machine) = (&self.selection, &*self.machine);
        let launched = self.launched();
        let launched = launched.map(|at| Launched::new(selection, &self.graph, machine, &at));
        let mut report = Report::of_selection(selection, machine, request, cost);
        if let Some(launched) = &launched {
            report = report.beside(launched, selection, machine);
        }
        (report.json(), report.to_string())
    }

    /// The report as an HTML page.
    fn html(&self, title: &str) -> String {
        let (candidate, winner) = self.selection.winner();
        let (before, about) = match self.launched() {
            Some(launched) => (launched, "where the ranks ran when they were profiled"),
            None => (
                Placement::block(self.graph.ranks()),
                "rank order over the nodes in their order, as launchers do by default",
            ),
        };
        let side = |name: &str, about: String, placement| NamedPlacement {
            name: name.into(),
            about,
            placement,
            graph: None,
        };
        let found = format!("what {} found", name_in_words(candidate.heuristic));
        let sides = [
            side("as launched", about.into(), &before),
            side("placed", found, &winner.placement),
        ];
        let mut scene = ReportInput::new(title, &self.graph).on(&self.machine, sides);
        if let Some(profile) = self.profile.as_ref() {
            scene = scene.with_profile(profile);
        }
        let seen = (&*self.graph, &*self.machine);
        page::html(&with_search(scene, &self.selection, seen, &before))
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
