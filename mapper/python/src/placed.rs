//! A placement with its figures: found by a search, or given.

use crate::error::{mapper, refused};
use crate::input::{Graph, Input};
use crate::machine::{MachineHandle, text};
use crate::seats::SeatsHandle;
use crate::work::wait_for;
use pyo3::prelude::*;
use rankfold_assess::Case;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile::MapfileError;
use rankfold_mapper::cli::constraints::ConstraintArgs;
use rankfold_mapper::cli::eval::Evaluation;
use rankfold_mapper::cli::report::{Cost, Report};
use rankfold_mapper::cli::report_command::{about, with_given, with_search};
use rankfold_mapper::cli::search::note;
use rankfold_mapper::cli::weights::WeightArgs;
use rankfold_mapper::cli::{launched, named};
use rankfold_mapper::error::Error as MapperError;
use rankfold_mapper::members::PORTFOLIO;
use rankfold_problem::team::Alone;
use rankfold_report::gather::ReportInput;
use rankfold_report::page;
use rankfold_search::select::{Request, Selection, select_together};
use rankfold_wire::Profile;
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

/// A placement and what is placed on what.
struct Found {
    graph: Arc<CommGraph>,
    machine: Arc<Machine>,
    profile: Arc<Option<Profile>>,
    made: Made,
}

/// What made a placement.
enum Made {
    Searched(Box<Selection>),
    Given(Placement, WeightArgs),
}

/// The slots that ranks take, as the graph or the user says.
fn weighed(weights: Option<Vec<u32>>) -> WeightArgs {
    weights.map(WeightArgs::of).unwrap_or_default()
}

/// The graph that placements are judged by, with remarks of its reader, and the profile.
type Job = (Arc<CommGraph>, Vec<String>, Arc<Option<Profile>>);

fn job(py: Python<'_>, input: &Input, exchange: &str) -> PyResult<Job> {
    let exchanging = named::exchange(exchange).map_err(mapper)?;
    let Graph { graph, notes } = input.graph(py)?;
    let graph = match exchange {
        "auto" => graph,
        _ => Arc::new(exchanging.of(CommGraph::clone(&graph))),
    };
    Ok((graph, notes, input.profile(py)?))
}

/// Where the launcher put the ranks, if the machine has those hosts.
fn launch_of(profile: Option<&Profile>, machine: &Machine) -> Option<Placement> {
    let hosts = profile.map(|profile| &profile.manifest.hosts[..]);
    launched::placement(hosts.unwrap_or_default(), machine)
}

/// Searches for a placement as `rankfold map` does.
#[pyfunction]
#[pyo3(signature = (input, machine, *, objective, effort, seed, heuristic, exchange, refine, constraints, weights, seconds, threads))]
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
    weights: Option<Vec<u32>>,
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
        portfolio: PORTFOLIO,
    };
    let (graph, mut notes, profile) = job(py, input, exchange)?;
    let machine = machine.machine.clone();
    let launched = launch_of(profile.as_ref().as_ref(), &machine);
    let (place, on) = (graph.clone(), machine.clone());
    let weights = weighed(weights);
    let found = wait_for(py, move |wanted| {
        let start = Instant::now();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| {
            pool.install(|| {
                let watch = |_| wanted.check();
                let case = weights.apply(Case::new(&place, &on).launched(launched))?;
                let case = constraints.apply(case)?;
                let sizes = case.constraints.sizes().clone();
                let found = select_together(case, &request, &Alone, &watch)?;
                let cost = Cost {
                    seconds: start.elapsed().as_secs_f64(),
                    threads: rayon::current_num_threads(),
                };
                let report = Report::of_selection(&found, &on, &request, cost);
                let report = report.assuming(&place, &on, &found);
                let (json, lines) = (report.json(), report.to_string());
                let wide = sizes.machine_of(found.winner().1.placement(), &on);
                Ok::<_, MapperError>((found, json, lines, wide))
            })
        })
    })?;
    let (selection, json, lines, wide) = found.map_err(refused)?.map_err(mapper)?;
    notes.extend(note(&selection));
    let found = Arc::new(Found {
        graph,
        machine: Arc::new(wide),
        profile,
        made: Made::Searched(Box::new(selection)),
    });
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
        match &self.made {
            Made::Searched(selection) => selection.winner().1.placement(),
            Made::Given(placement, _) => placement,
        }
    }

    /// The case of a placement that was given.
    fn case(&self, weights: &WeightArgs) -> Result<Case<'_>, MapperError> {
        let launched = launch_of(self.profile.as_ref().as_ref(), &self.machine);
        weights.apply(Case::new(&self.graph, &self.machine).launched(launched))
    }

    /// The report as an HTML page.
    fn html(&self, title: &str) -> Result<String, MapperError> {
        let mut scene = ReportInput::new(title, &self.graph);
        if let Some(profile) = self.profile.as_ref() {
            scene = scene.with_profile(profile);
        }
        Ok(page::html(&match &self.made {
            Made::Searched(selection) => {
                let about = about(selection.launched.is_some()).into();
                with_search(scene, selection, &self.machine, about)
            }
            Made::Given(placement, weights) => {
                let case = self.case(weights)?;
                let about = [about(case.launch().is_some()).into(), "as given".into()];
                with_given(scene, &case, placement, about)
            }
        }))
    }
}

/// A placement that is given, with the figures that are known of it, or as `rankfold eval` has
/// them.
#[pyfunction]
#[pyo3(signature = (input, seats, *, exchange, weights=None, known=None))]
pub(crate) fn evaluate(
    py: Python<'_>,
    input: &Input,
    seats: &SeatsHandle,
    exchange: &str,
    weights: Option<Vec<u32>>,
    known: Option<(Vec<String>, String, String)>,
) -> PyResult<Placed> {
    let (graph, notes, profile) = job(py, input, exchange)?;
    let (placed, ranks) = (seats.placement.ranks(), graph.ranks());
    if placed != ranks {
        let file = "placement".into();
        return Err(mapper(MapfileError::WrongRanks {
            file,
            placed,
            ranks,
        }));
    }
    let weights = weighed(weights);
    let sizes = weights.sizes(&graph).map_err(mapper)?;
    let (placement, machine) = (&seats.placement, &seats.machine);
    let nodes = placement.nodes(machine.slots());
    sizes.check_on(&nodes, machine).map_err(mapper)?;
    let placement = if sizes.are_one() {
        placement.clone()
    } else {
        sizes.seated(&nodes, machine.slots(), |rank| placement.slot(rank))
    };
    let found = Arc::new(Found {
        graph,
        machine: Arc::new(sizes.machine_of(&placement, machine)),
        profile,
        made: Made::Given(placement, weights.clone()),
    });
    let (notes, json, lines) = match known {
        Some(known) => known,
        None => {
            let judged = found.clone();
            let judged = wait_for(py, move |_| {
                let evaluation = Evaluation::new(&judged.case(&weights)?, judged.placement());
                let report = evaluation.report(&judged.graph, &judged.machine);
                Ok::<_, MapperError>((report.json(), report.to_string()))
            })?;
            let (json, lines) = judged.map_err(mapper)?;
            (notes, text(json.map_err(refused)?)?, lines)
        }
    };
    Ok(Placed {
        name: input.name().to_owned(),
        notes,
        json,
        text: lines,
        found,
    })
}

#[pymethods]
impl Placed {
    /// The slot of every rank.
    fn seats(&self) -> SeatsHandle {
        SeatsHandle {
            machine: self.found.machine.clone(),
            placement: self.found.placement().clone(),
        }
    }

    /// The report as an HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let (found, title) = (self.found.clone(), self.name.clone());
        wait_for(py, move |_| found.html(&title))?.map_err(mapper)
    }
}
