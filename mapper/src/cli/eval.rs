//! `rankfold eval`: computes every metric of a given placement.

use super::input::InputArgs;
use super::options::{ExchangeArgs, MachineArgs, mapfile_formats};
use super::report::{Figures, Report, gap, still_to_gain, time_figure};
use super::{as_launched, metrics_table, output};
use crate::error::Error;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile as mapfile;
use rankfold_metric as metric;
use rankfold_metric::replay::{ReplayModel, time_bound};
use rankfold_metric::time::{self, KnownBounds};
use rankfold_metric::{BoundEffort, Congestion, Score};
use rankfold_pattern as pattern;
use rankfold_search::objective::{Objective, Time};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  rankfold eval app.rfp --machine torus:4x4x4 --cores 16 --placement nodes.txt
  rankfold eval app.rfp --machine site.toml --placement MPICH_RANK_ORDER --from cray --json figures.json";

/// `rankfold eval`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    exchange: ExchangeArgs,
    /// The placement: a mapfile of any format (formats that name hosts need --hosts)
    #[arg(long, value_name = "FILE")]
    placement: PathBuf,
    /// Format of the placement file [default: recognised from its lines; a file with one number a
    /// line is read as nodes, not as cray]
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true)]
    from: Option<String>,
    /// Also estimate congestion as LibTopoMap does: every message takes the least loaded of its
    /// shortest paths
    #[arg(long)]
    estimate: bool,
    /// Print every figure of the placement and of block order
    #[arg(long)]
    metrics: bool,
    /// Where to write the figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Limit on the work of [`metric::all_minimal_paths_congestion`], as a number of channels visited
/// by messages. Above it the metric is left out. Measured when the limit was set: `eval` of a
/// scattered placement of 65536 ranks, below the limit, took 3.7 s of processor time on
/// torus:32x32x64 and 9.1 s on mesh:32x32x64.
const MOST_STEPS: u64 = 1 << 27;

/// Computes every metric of a placement. Congestion over all shortest paths is left out where it
/// would exceed [`MOST_STEPS`].
fn score(graph: &CommGraph, machine: &Machine, placement: &Placement) -> Score {
    Score {
        max_congestion_amp: metric::all_minimal_paths_congestion(
            graph, machine, placement, MOST_STEPS,
        ),
        ..metric::score_of_routes(graph, machine, placement)
    }
}

/// The scores of two placements with replayed times, unless one of them takes too long to replay.
fn replayed(
    graph: &CommGraph,
    machine: &Machine,
    placements: [&Placement; 2],
    scores: [Score; 2],
) -> [Score; 2] {
    let model = ReplayModel::new(graph, machine);
    let replays = model.and_then(|model| model.replay_all(&placements));
    let mut totals = replays.into_iter().flatten().map(|replay| replay.total);
    scores.map(|score| Score {
        time: totals
            .next()
            .map_or(score.time, |total| score.time.with_replay(total)),
        ..score
    })
}

fn estimate(graph: &CommGraph, machine: &Machine, placement: &Placement) -> f64 {
    let nodes = placement.nodes(machine.slots());
    let loads = metric::estimated_loads(graph, machine.topology(), &nodes);
    Congestion::of(&loads).max
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let machine = args.machine.build()?;
    if let Some(path) = &args.json {
        output::check(path)?;
    }
    let graph = args.exchange.of(args.input.graph()?);
    let file = args.placement.to_string_lossy();
    let from = super::mapfile::from(args.from.as_deref())?;
    let seats = mapfile::read(&args.placement, from).map_err(Error::from)?;
    let placement =
        mapfile::placement(&seats, &machine, graph.ranks(), &file).map_err(Error::from)?;

    let start = Instant::now();
    let block = Placement::block(graph.ranks());
    let scores = [&placement, &block].map(|placement| score(&graph, &machine, placement));
    let [own, baseline] = replayed(&graph, &machine, [&placement, &block], scores);
    let effort = BoundEffort::Standard;
    let lower_bound = metric::lower_bound(&graph, &machine, effort).hop_bytes;
    let congestion = metric::congestion_bound(&graph, &machine, lower_bound, effort);
    let known = KnownBounds {
        hop_bytes: lower_bound,
        congestion: congestion.congestion,
        effort,
    };
    let bound = time_bound(&graph, &machine, known);
    let launched = as_launched::placement_in(args.input.path(), &machine, graph.ranks());
    let launched = launched.map(|launched| {
        let same = launched.nodes(machine.slots()) == placement.nodes(machine.slots());
        let predictor = own.time.predictor();
        (
            as_launched::score(&graph, &machine, &launched, predictor),
            same,
        )
    });
    let mut report = Report {
        heuristic: None,
        refinements: Vec::new(),
        family: None,
        pattern: &pattern::analyze(&graph),
        machine: machine.topology().spec(),
        routing: machine.topology().routing(),
        ranks: graph.ranks(),
        gap: gap(own.hop_bytes, lower_bound),
        still_to_gain: still_to_gain(own.hop_bytes, lower_bound),
        max_congestion_estimate: args
            .estimate
            .then(|| estimate(&graph, &machine, &placement)),
        figures: Figures::new(&own, &bound),
        lower_bound,
        lower_bound_is_optimum: false,
        congestion_lower_bound: congestion.congestion,
        congestion_still_to_gain: time::still_to_gain(own.max_congestion, congestion.congestion),
        congestion_bound_by: congestion.which,
        baseline: Figures::new(&baseline, &bound),
        launched: None,
        minimised: time_figure(&machine, [&baseline, &own], &bound),
        time: time_figure(&machine, [&baseline, &own], &bound),
        objective: None,
        effort: None,
        seed: 0,
        threads: rayon::current_num_threads(),
        processes: None,
        seconds: start.elapsed().as_secs_f64(),
        search_seconds: None,
    };
    if let Some((score, same)) = &launched {
        let worth = (score.time.total(), &Time as &dyn Objective);
        report = report.compared_with_launch(score, worth, (&machine, &bound), *same);
    }
    if let Some(path) = &args.json {
        output::write(path, &report.json()?)?;
    }
    write!(std::io::stdout(), "{report}")?;
    // The estimate is asked for by an option of its own, and is a row of the table.
    if args.metrics || args.estimate {
        write!(std::io::stdout(), "\n{}", metrics_table::table(&report))?;
    }
    Ok(())
}
