//! `rankfold report`: draws communication, machine and placements in one HTML file.

mod candidates;
mod diff;
mod embedded;
mod facts;
mod relaunched;

use super::as_launched::{self, profile};
use super::document::{self, Document};
use super::input::InputArgs;
use super::options::{NodeArgs, SearchArgs, mapfile_formats};
use super::{mapfile as maps, output, search, terminal};
use crate::error::Error;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile as mapfile;
use rankfold_report::data::Report;
use rankfold_report::gather::{KnownBounds, NamedPlacement, ReportInput, gather};
use rankfold_report::page;
use rankfold_search::objective::Judged;
use rankfold_search::select::{Selection, name_in_words};
use rankfold_wire::Profile;
use std::io::Write;
use std::path::{Path, PathBuf};

use rankfold_report::data::Measured;
pub use relaunched::Relaunched;

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
    #[arg(long, value_name = "MAPFILE", requires = "machine")]
    pub(super) map: Option<PathBuf>,
    /// The placement to compare with [default: where the ranks ran when they were profiled, if the
    /// machine has those hosts; otherwise block order]
    #[arg(long, value_name = "MAPFILE", requires = "machine")]
    pub(super) before: Option<PathBuf>,
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

/// The communication. The input may be left out where `--diff` names two runs.
#[derive(Debug)]
pub(super) struct OptionalInput(Option<InputArgs>);

impl clap::Args for OptionalInput {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = InputArgs::augment_args(command);
        command.mut_arg("input", |input| input.required(false))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for OptionalInput {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.contains_id("input");
        let input = given.then(|| InputArgs::from_arg_matches(matches));
        Ok(Self(input.transpose()?))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Document for Report {
    const NAME: &'static str = "report";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "report: all data of the page";
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    output::check_all(std::iter::once(&args.output).chain(&args.json))?;
    let measured = args.measured.as_deref().map(measured).transpose()?;
    let mut shown = match (args.diff.as_deref(), &args.input.0) {
        (Some([a, b]), None) => diff::runs(args, [a, b])?,
        (Some([a, b]), Some(input)) => diff::placements(args, input, [a, b])?,
        (_, Some(input)) => one(args, input)?,
        (_, None) => {
            return Err(Error::Flag {
                flag: "INPUT",
                value: String::new(),
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
    writeln!(anstream::stdout(), "{}", page::verdict(&shown))?;
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
            predicted_gain: None,
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
    let (before, about) = before(args, graph, machine, profile)?;
    let from = maps::from(args.from.as_deref())?;
    let to_show = match &args.map {
        Some(path) => PlacementToShow::FromMapfile(read(path, from, machine, graph.ranks())?),
        None => {
            let request = args.search.request();
            PlacementToShow::Searched(Box::new(
                search::search(&args.search, graph, machine, &request)?.0,
            ))
        }
    };
    let (after, what) = match &to_show {
        PlacementToShow::FromMapfile(placement) => (placement, "the mapfile given".to_owned()),
        PlacementToShow::Searched(selection) => {
            let (candidate, winner) = selection.winner();
            (
                &winner.placement,
                format!("what {} found", name_in_words(candidate.heuristic)),
            )
        }
    };
    let sides = [
        NamedPlacement {
            name: "as launched".into(),
            about,
            placement: &before,
            graph: None,
        },
        NamedPlacement {
            name: "placed".into(),
            about: what,
            placement: after,
            graph: None,
        },
    ];
    let mut scene = ReportInput::new(title, graph).on(machine, sides);
    if let Some(profile) = profile {
        scene = scene.with_profile(profile);
    }
    let mapfile = embedded::of(args, title, profile, after, machine);
    let selection = match &to_show {
        PlacementToShow::FromMapfile(_) => {
            return Ok(Report {
                mapfile,
                ..gather(&scene)
            });
        }
        PlacementToShow::Searched(selection) => selection,
    };
    Ok(Report {
        mapfile,
        ..with_search(scene, selection, (graph, machine), &before)
    })
}

/// Reports on the scene, and on the search that has found the placement on its last side. `before`
/// is the placement that is compared with.
#[must_use]
pub fn with_search(
    scene: ReportInput<'_>,
    selection: &Selection,
    (graph, machine): (&CommGraph, &Machine),
    before: &Placement,
) -> Report {
    let scene = scene
        .with_pattern(&selection.pattern)
        .with_bounds(KnownBounds {
            hop_bytes: selection.lower_bound,
            congestion: selection.congestion_bound.congestion,
            time: selection.time_bound,
        })
        .predicted_by(selection.replayed.predictor());
    let mut shown = gather(&scene);
    let bandwidth = shown
        .machine
        .as_ref()
        .map_or(1.0, |machine| machine.common_bandwidth);
    let score = as_launched::score(graph, machine, before, selection.replayed.predictor());
    let launched = selection.objective.value(&Judged {
        graph,
        machine,
        placement: before,
        score: &score,
    });
    shown.candidates = Some(candidates::of(selection, launched, bandwidth));
    shown
}

/// The placement that the report shows, and where it comes from.
enum PlacementToShow {
    FromMapfile(Placement),
    Searched(Box<Selection>),
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

/// The placement to compare with, and a description of it.
fn before(
    args: &Args,
    graph: &CommGraph,
    machine: &Machine,
    profile: Option<&Profile>,
) -> Result<(Placement, String), Error> {
    if let Some(path) = &args.before {
        let from = maps::from(args.from.as_deref())?;
        let placement = read(path, from, machine, graph.ranks())?;
        return Ok((placement, format!("the placement in {}", path.display())));
    }
    if let Some(placement) = profile.and_then(|profile| as_launched::placement(profile, machine)) {
        return Ok((
            placement,
            "where the ranks ran when they were profiled".into(),
        ));
    }
    let about = "rank order over the nodes in their order, as launchers do by default";
    Ok((Placement::block(graph.ranks()), about.into()))
}
