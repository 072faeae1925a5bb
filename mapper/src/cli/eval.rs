//! `rankfold eval`: computes every metric of a given placement.

use super::exchange::ExchangeArgs;
use super::input::{InputArgs, RunInput};
use super::options::{MachineArgs, mapfile_formats};
use super::parts::{self, Parts};
use super::report::{Compared, Cost, Report};
use super::tasks::TaskArgs;
use super::weights::{WeightArgs, Weights};
use super::{launched, metrics_table, output, terminal};
use crate::error::Error;
use rankfold_assess::{Assessment, Assessor, Bounds, Case, PredictBy, Predicted, Saving};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_mapfile as mapfile;
use rankfold_metric::replay::ReplayModel;
use rankfold_metric::time::Predictor;
use rankfold_metric::{self as metric, BoundEffort, Congestion};
use rankfold_pattern::{self as pattern, Pattern};
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
    weights: WeightArgs,
    #[command(flatten)]
    tasks: TaskArgs,
    #[command(flatten)]
    exchange: ExchangeArgs,
    /// The placement: a mapfile of any format (formats that name hosts need --hosts)
    #[arg(long, alias = "map", value_name = "FILE")]
    placement: PathBuf,
    /// Format of the placement file [default: recognised from its lines; a file with one number a
    /// line is read as nodes, not as cray]
    #[arg(long, value_name = "FORMAT", value_parser = mapfile_formats(), hide_possible_values = true)]
    from: Option<String>,
    /// Also estimate congestion as LibTopoMap does: every message takes the least loaded of its
    /// shortest paths
    #[arg(long)]
    estimate: bool,
    /// What predicts times [default: a replay, where it is affordable for all placements that are
    /// compared; else the formula]
    #[arg(long, value_name = "PREDICTOR")]
    predictor: Option<PredictorName>,
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

/// A placement beside block order, and beside the launch where that is known: assessed together.
#[derive(Debug)]
pub struct Evaluation {
    mapped: Assessment,
    block: Assessment,
    launched: Option<Assessment>,
    bounds: Bounds,
    pattern: Pattern,
    cost: Cost,
}

impl Evaluation {
    /// Assesses a placement of the ranks of `case`, by the predictor that is affordable.
    #[must_use]
    pub fn new(case: &Case<'_>, placement: &Placement) -> Self {
        Self::by(&Assessor::new(case), case, placement).0
    }

    fn by(assessor: &Assessor<'_>, case: &Case<'_>, placement: &Placement) -> (Self, Predicted) {
        let start = Instant::now();
        let block = case.block();
        let compared: Vec<&Placement> = [placement, &block]
            .into_iter()
            .chain(case.launch())
            .collect();
        let (assessed, predicted) = assessor.assess(&compared);
        let mut assessed = assessed.into_iter();
        let mut with_paths = || {
            let assessment = assessed.next()?;
            let paths = assessor.all_paths(assessment.placement(), MOST_STEPS);
            Some(assessment.with_paths(paths))
        };
        let (Some(mapped), Some(block)) = (with_paths(), with_paths()) else {
            unreachable!("every placement is assessed");
        };
        let evaluation = Self {
            mapped,
            block,
            launched: assessed.next(),
            bounds: Bounds::of(case, BoundEffort::Standard),
            pattern: pattern::analyze(&case.graph),
            cost: Cost {
                seconds: start.elapsed().as_secs_f64(),
                threads: rayon::current_num_threads(),
            },
        };
        (evaluation, predicted)
    }

    /// The figures as `eval` prints them.
    #[must_use]
    pub fn report(&self, graph: &CommGraph, machine: &Machine) -> Report<'_> {
        let compared = Compared {
            block: &self.block,
            launched: self.launched.as_ref(),
            mapped: &self.mapped,
            bounds: &self.bounds,
        };
        let reference = self.launched.as_ref().unwrap_or(&self.block);
        let both = [reference, &self.mapped].map(Assessment::placement);
        let saving = Saving::assumed(graph, machine, both);
        Report::new(compared, machine, &self.pattern, self.cost).resting_on(saving.as_ref())
    }
}

/// What predicts the times that are compared.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum PredictorName {
    /// a replay of all messages
    Replay,
    /// the formula T
    Formula,
}

/// The assessor for the predictor that was asked for.
///
/// # Errors
/// [`Error::Flag`]: there are too many ranks for a replay.
fn assessor<'a>(case: &'a Case<'_>, asked: Option<PredictorName>) -> Result<Assessor<'a>, Error> {
    let assessor = Assessor::new(case);
    Ok(match asked {
        None => assessor,
        Some(PredictorName::Formula) => assessor.predicting(PredictBy::Formula),
        Some(PredictorName::Replay) if ReplayModel::new(&case.graph, case.machine).is_none() => {
            return Err(Error::Flag {
                flag: "--predictor",
                value: "replay".into(),
                problem: Predicted::TooManyRanks.to_string(),
            });
        }
        Some(PredictorName::Replay) => assessor.predicting(PredictBy::Replay),
    })
}

fn estimate(graph: &CommGraph, machine: &Machine, placement: &Placement) -> f64 {
    let nodes = placement.nodes(machine.slots());
    let loads = metric::estimated_loads(graph, machine.topology(), &nodes);
    Congestion::of(&loads).max
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let machine = args.machine.build()?;
    let inputs = args.input.files().chain(args.machine.files());
    output::check_all(&args.json, inputs.chain([&*args.placement]))?;
    let RunInput { graph, hosts } = args.input.run()?;
    let graph = args.exchange.of(graph);
    let file = args.placement.to_string_lossy();
    let from = super::mapfile::from(args.from.as_deref())?;
    let of_parts = args.tasks.parts_of(from)?;
    let seats = mapfile::read(&args.placement, of_parts.or(from)).map_err(Error::from)?;
    let sizes = args.weights.sizes(&graph)?;
    let (machine, placement, parts) = if of_parts.is_some() {
        let parts = parts::read(&seats, &machine, graph.ranks(), &file)?;
        let room = args.tasks.room(&parts, &sizes, &machine, &file)?;
        let placement = parts::placed(&parts, &machine, &room);
        (room, placement, Some(Parts::of(&parts, &sizes, &machine)))
    } else {
        let placement = mapfile::placement(&seats, &machine, graph.ranks(), &file);
        let placement = placement.map_err(Error::from)?;
        let nodes = placement.nodes(machine.slots());
        sizes.check_on(&nodes, &machine).map_err(Error::from)?;
        (machine, placement, None)
    };

    let case = Case::new(&graph, &machine).launched(launched::placement(&hosts, &machine));
    let case = args.weights.apply(case)?;
    let assessor = assessor(&case, args.predictor)?;
    let (evaluation, predicted) = Evaluation::by(&assessor, &case, &placement);
    if args.predictor.is_none() && predicted.predictor() == Predictor::T {
        terminal::note(format_args!("times are predicted {predicted}"));
    }
    let report = Report {
        max_congestion_estimate: args
            .estimate
            .then(|| estimate(&graph, &machine, &placement)),
        parts,
        weights: Weights::of(&sizes, graph.ranks()),
        ..evaluation.report(&graph, &machine)
    };
    if let Some(path) = &args.json {
        output::write(path, &report.json()?)?;
    }
    let mut out = output::beside(args.json.as_deref());
    write!(out, "{report}")?;
    // The estimate is asked for by an option of its own, and is a row of the table.
    if args.metrics || args.estimate {
        write!(out, "\n{}", metrics_table::table(&report))?;
    }
    Ok(())
}
