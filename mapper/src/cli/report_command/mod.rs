//! `rankfold report`: draws communication, machine and placements in one HTML file.

mod candidates;
mod diff;
mod embedded;
mod facts;
mod relaunched;

use super::document::{self, Document};
use super::input::{InputArgs, OptionalInput};
use super::launched::{self, profile};
use super::options::{NodeArgs, SearchArgs, mapfile_formats};
use super::{mapfile as maps, output, search, terminal};
use crate::error::Error;
use rankfold_assess::Case;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile as mapfile;
use rankfold_report::data::Report;
use rankfold_report::gather::{NamedPlacement, ReportInput, gather};
use rankfold_report::page;
use rankfold_search::select::{Selection, name_in_words};
use rankfold_wire::Profile;
use std::io::Write;
use std::path::{Path, PathBuf};

use rankfold_report::data::Measured;
pub use relaunched::{BothOrders, Relaunched};

const EXAMPLES: &str = "\
Examples:
  rankfold report app.rfp                                             the communication alone
  rankfold report app.rfp --machine torus:4x4x4 -o app.html           as launched, and as map would place it
  rankfold report app.rfp --machine site.toml --map app.map --json app.json
  rankfold report app.rfp --machine site.toml --diff a.map b.map      two placements of one run
  rankfold report --diff before.rfp after.rfp                         two runs";

/// `rankfold report`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    pub(super) input: OptionalInput,
    /// Two runs to compare, in place of INPUT; or two mapfiles, both placing INPUT on --machine
    #[arg(long, value_name = "FILE", num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["map", "before"])]
    pub(super) diff: Option<Vec<PathBuf>>,
    /// The machine to draw, e.g. torus:4x4, or a machine file [default: none, only the
    /// communication is drawn]
    #[arg(long, value_name = "SPEC|FILE")]
    pub(super) machine: Option<String>,
    #[command(flatten)]
    pub(super) nodes: NodeArgs,
    /// The placement to show: a mapfile of any format [default: search for one, as map does]
    #[arg(
        long,
        value_name = "MAPFILE",
        requires = "machine",
        conflicts_with = "ConstraintArgs"
    )]
    pub(super) map: Option<PathBuf>,
    /// The placement to compare with [default: where the ranks ran when they were profiled, if the
    /// machine has those hosts; otherwise block order]
    #[arg(
        long = "before",
        id = "before",
        value_name = "MAPFILE",
        requires = "machine"
    )]
    pub(super) reference: Option<PathBuf>,
    /// Format of the mapfiles [default: recognised from their lines]
    #[arg(long, value_name = "FORMAT", requires = "machine", value_parser = mapfile_formats(), hide_possible_values = true)]
    pub(super) from: Option<String>,
    #[command(flatten)]
    pub(super) search: SearchArgs,
    /// Seconds measured before and after placing, shown beside the prediction
    #[arg(long, value_name = "BEFORE,AFTER", value_delimiter = ',')]
    pub(super) measured: Option<Vec<f64>>,
    /// Where to write the HTML page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(super) output: PathBuf,
    /// Where to write all data of the page as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

impl Document for Report {
    const NAME: &'static str = "report";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "report: all data of the page";
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let runs = args.input.0.iter().flat_map(InputArgs::files);
    let machine = args
        .nodes
        .files(args.machine.as_deref().unwrap_or_default());
    let maps = args.map.iter().chain(&args.reference);
    let maps = maps.chain(args.diff.iter().flatten()).map(PathBuf::as_path);
    let results = std::iter::once(&args.output).chain(&args.json);
    output::check_all(results, runs.chain(machine).chain(maps))?;
    let measured = args.measured.as_deref().map(measured).transpose()?;
    let mut shown = match (args.diff.as_deref(), &args.input.0) {
        (Some([a, b]), None) => diff::runs(args, [a, b])?,
        (Some([a, b]), Some(input)) => diff::placements(args, input, [a, b])?,
        (_, Some(input)) => one(args, input)?,
        (_, None) => {
            return Err(Error::Flag {
                flag: "INPUT",
                value: "is missing".into(),
                problem: "name the communication to report on, or two runs with --diff A B".into(),
            }
            .into());
        }
    };
    shown.measured = measured.or(shown.measured);
    if let Some(path) = &args.json {
        output::write(path, &document::text(&shown)?)?;
    }
    output::write(&args.output, page::html(&shown).as_bytes())?;
    if args.json.as_deref().is_some_and(output::is_stdout) {
        terminal::note(page::verdict(&shown));
    } else {
        writeln!(anstream::stdout(), "{}", page::verdict(&shown))?;
    }
    terminal::note(format_args!("wrote {}", args.output.display()));
    Ok(())
}

/// Reports on one run, on a machine if one is given: as launched and as placed.
fn one(args: &Args, input: &InputArgs) -> anyhow::Result<Report> {
    let machine = args.machine.as_deref().map(|spec| args.nodes.build(spec));
    let machine = machine.transpose()?;
    let graph = args.search.exchange.of(input.graph()?);
    if let Some(machine) = &machine {
        machine.check_fits(graph.ranks()).map_err(Error::from)?;
    }
    let profile = profile(input.path())?;
    let title = title(input.path());
    let mut shown = match &machine {
        Some(machine) => placed(args, &title, &graph, machine, profile.as_ref())?,
        None => drawn(&title, &graph, profile.as_ref()),
    };
    facts::add(&mut shown, &args.search, input.path(), profile.is_some());
    Ok(shown)
}

fn measured(seconds: &[f64]) -> Result<Measured, Error> {
    match *seconds {
        [before, after] if before > 0.0 && after > 0.0 => Ok(Measured {
            before: Some(before),
            after: Some(after),
            ..Measured::default()
        }),
        _ => Err(Error::Flag {
            flag: "--measured",
            value: seconds
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(","),
            problem: "two numbers of seconds above 0 are needed, as in 12.5,4.1".into(),
        }),
    }
}

/// The title of a report: the file name without its directory.
fn title(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Reports on the communication alone.
fn drawn(title: &str, graph: &CommGraph, profile: Option<&Profile>) -> Report {
    let scene = ReportInput::new(title, graph);
    gather(&match profile {
        Some(profile) => scene.with_profile(profile),
        None => scene,
    })
}

/// Reports on the communication on a machine, as launched and as placed.
fn placed(
    args: &Args,
    title: &str,
    graph: &CommGraph,
    machine: &Machine,
    profile: Option<&Profile>,
) -> anyhow::Result<Report> {
    let (reference, about) = reference(args, graph, machine, profile)?;
    let weights = &args.search.constraints.weights;
    let case = weights.apply(Case::new(graph, machine).launched(reference))?;
    let sizes = case.constraints.sizes().clone();
    let from = maps::from(args.from.as_deref())?;
    let mut scene = ReportInput::new(title, graph);
    if let Some(profile) = profile {
        scene = scene.with_profile(profile);
    }
    if let Some(path) = &args.map {
        let mapped = read(path, from, machine, graph.ranks())?;
        let nodes = mapped.nodes(machine.slots());
        sizes.check_on(&nodes, machine).map_err(Error::from)?;
        let wide = sizes.machine_of(&mapped, machine);
        let about = [about, "the mapfile given".into()];
        let reference = case.launch().cloned().unwrap_or_else(|| case.block());
        return Ok(Report {
            to_know: facts::what_to_know(graph, machine, [&reference, &mapped]),
            mapfile: embedded::of(false, title, profile, &mapped, &wide),
            ..with_given(scene, &case, &mapped, about)
        });
    }
    let request = args.search.request();
    let (selection, _) = search::search(&args.search, case, &request)?;
    let mapped = selection.winner().1.placement();
    let reference = selection.reference().assessment.placement();
    let wide = sizes.machine_of(mapped, machine);
    Ok(Report {
        to_know: facts::what_to_know(graph, machine, [reference, mapped]),
        mapfile: embedded::of(true, title, profile, mapped, &wide),
        ..with_search(scene, &selection, machine, about)
    })
}

/// The names of the two placements.
const LAUNCHED: &str = "as launched";
const PLACED: &str = "placed";

/// Reports on the scene, and on a search: on the winner beside the launch, or beside block order
/// where no launch is known. `about` says where the placement is from that is compared with.
#[must_use]
pub fn with_search(
    scene: ReportInput<'_>,
    selection: &Selection,
    machine: &Machine,
    about: String,
) -> Report {
    let (candidate, winner) = selection.winner();
    let reference = selection.reference();
    let found = format!("what {} found", name_in_words(candidate.heuristic));
    let sides = [
        NamedPlacement::assessed(LAUNCHED, &reference.assessment).explained(about),
        NamedPlacement::assessed(PLACED, winner.assessment()).explained(found),
    ];
    let scene = scene
        .on(machine, sides)
        .with_pattern(&selection.pattern)
        .with_bounds(selection.bounds);
    let mut shown = gather(&scene);
    let bandwidth = shown
        .machine
        .as_ref()
        .map_or(1.0, |machine| machine.common_bandwidth);
    shown.candidates = Some(candidates::of(selection, reference.value, bandwidth));
    shown
}

/// Reports on the scene, and on a placement that nothing was searched for, beside the launch, or
/// beside block order where no launch is known. `about` says what each of the two is.
#[must_use]
pub fn with_given(
    scene: ReportInput<'_>,
    case: &Case<'_>,
    placement: &Placement,
    [launched, placed]: [String; 2],
) -> Report {
    let reference = case.launch().cloned().unwrap_or_else(|| case.block());
    let sides = [
        NamedPlacement::new(LAUNCHED, &reference).explained(launched),
        NamedPlacement::new(PLACED, placement).explained(placed),
    ];
    gather(&scene.on(case.machine, sides))
}

/// Reads the mapfile `path` as a placement of `ranks` ranks on the machine.
fn read(
    path: &Path,
    from: Option<&'static dyn mapfile::MapfileFormat>,
    machine: &Machine,
    ranks: usize,
) -> Result<Placement, Error> {
    let seats = mapfile::read(path, from)?;
    Ok(mapfile::placement(
        &seats,
        machine,
        ranks,
        &path.to_string_lossy(),
    )?)
}

/// The placement to compare with, and a description of it; `None` stands for block order.
fn reference(
    args: &Args,
    graph: &CommGraph,
    machine: &Machine,
    profile: Option<&Profile>,
) -> Result<(Option<Placement>, String), Error> {
    if let Some(path) = &args.reference {
        let from = maps::from(args.from.as_deref())?;
        let placement = read(path, from, machine, graph.ranks())?;
        let about = format!("the placement in {}", path.display());
        return Ok((Some(placement), about));
    }
    let hosts = profile.map_or(&[][..], |profile| &profile.manifest.hosts);
    let launched = launched::placement(hosts, machine);
    let about = about(launched.is_some()).into();
    Ok((launched, about))
}

/// What the placement is that is compared with: where the launcher put the ranks, if that is known,
/// or block order.
#[must_use]
pub fn about(is_launched: bool) -> &'static str {
    if is_launched {
        "where the ranks ran when they were profiled"
    } else {
        "rank order over the nodes in their order, as launchers do by default"
    }
}
