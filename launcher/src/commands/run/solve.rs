//! Makes a map: from the profile of a program and the hosts of a job to a placement and its
//! prediction.

use super::context::RunContext;
use super::cores::of_ranks;
use super::corrected::CorrectedPrediction;
use super::correction::highest_gain;
use super::documents::RunDocument;
use super::orders::{filled, seated};
use super::problem::{MappingCase, Problem, hosts_are_open, problem};
use crate::cache::{Measured, Predicted, RankMap, Solution, State};
use crate::placement::RankCores;
use rankfold_base::Placement;
use rankfold_console::output;
use rankfold_machine::Machine;
use rankfold_mapper::cli::report::Report;
use rankfold_mapper::cli::search::search;
use rankfold_mapper::cli::{explain, metrics_table};
use rankfold_mapper::document;
use rankfold_metric as metric;
use rankfold_metric::replay::{MOST_WORK, ReplayModel};
use rankfold_metric::time::Predictor;
use rankfold_search::refine::first_rank;
use rankfold_search::select::Selection;

/// A map, and whether it is better than the launcher's own order.
pub(super) struct SolvedMap {
    pub(super) map: RankMap,
    pub(super) solution: Solution,
    /// The predicted seconds inside MPI; `None` where no run was measured that tells.
    pub(super) corrected: Option<CorrectedPrediction>,
    /// What the run has measured that was profiled for this map, with the model's time.
    pub(super) took: Option<Measured>,
    /// Whether the map is predicted to be better by [`LEAST_GAIN`].
    pub(super) worth: bool,
    /// The number of hosts that the map may use.
    pub(super) hosts: usize,
}

impl SolvedMap {
    /// The state of an entry with this map.
    pub(super) fn state(&self) -> State {
        if self.worth {
            State::Mapped(self.solution.clone(), self.map.clone())
        } else {
            State::LaunchersOrder(self.solution.clone())
        }
    }
}

/// A map is used if it is predicted to be so many times as fast in communication as the launcher's
/// own order. Chosen by hand: a hundredth is less than what runs of one program differ by.
const LEAST_GAIN: f64 = 1.01;

/// Makes the map of a profile on the hosts of a job.
///
/// # Errors
/// The profile, the machine or an option cannot be used for these hosts and ranks.
pub(super) fn solve(context: &RunContext, case: &MappingCase) -> anyhow::Result<SolvedMap> {
    let problem = problem(context, case)?;
    let (graph, machine) = (&problem.graph, &problem.machine.machine);
    let options = &context.args.search;
    let request = if case.hurry {
        options.request_before_launch()
    } else {
        options.request_between_runs(graph.ranks())
    };
    let (selection, cost) = search(options, graph, machine, &request)?;
    let (predicted, selection) = predicted(case, &problem, selection);
    let kept = with_rank_0_kept(context, case, &problem, &selection);
    let predicted = match &kept {
        Some((order, placement)) => predicted_again(case, &problem, predicted, [order, placement]),
        None => predicted,
    };
    let report = Report::of_selection(&selection, machine, &request, cost);
    let took = case.took.clone().map(|took| Measured {
        model: predicted.model_time(false),
        ..took
    });
    let runs: Vec<Measured> = case.runs.iter().chain(&took).cloned().collect();
    let corrected = CorrectedPrediction::new(&runs, &predicted);
    publish(context, (&report, machine), &selection, corrected.as_ref())?;
    let (_, winner) = selection.winner();
    let placement = kept.map_or_else(|| winner.placement.clone(), |(_, placement)| placement);
    Ok(SolvedMap {
        map: map(case, &problem, &placement),
        worth: is_worth_it(context, &predicted, &runs),
        hosts: case.hosts.len(),
        corrected,
        took,
        solution: Solution {
            machine: problem.machine.source,
            machine_digest: problem.machine.digest,
            heuristic: winner_name(&selection),
            predicted,
        },
    })
}

/// Where the scheduler chooses the hosts, ranks are renumbered, and rank 0 stays where the launcher
/// starts it. The launcher's own order, and a placement that leaves rank 0 there; `None` where
/// ranks are placed otherwise, or the best placement leaves it there.
fn with_rank_0_kept(
    context: &RunContext,
    case: &MappingCase,
    problem: &Problem,
    selection: &Selection,
) -> Option<(Placement, Placement)> {
    let (graph, machine) = (&problem.graph, &problem.machine.machine);
    let (_, winner) = selection.winner();
    if !hosts_are_open(context) {
        return None;
    }
    let order = seated(case.default?, machine)?;
    let placement = first_rank::keep(graph, machine, &winner.placement, &order);
    (placement != winner.placement).then_some((order, placement))
}

/// The prediction for the launcher's own order and a placement in place of the best one.
fn predicted_again(
    case: &MappingCase,
    problem: &Problem,
    predicted: Predicted,
    both: [&Placement; 2],
) -> Predicted {
    let (graph, machine) = (&problem.graph, &problem.machine.machine);
    let most_work = if case.hurry { HURRIED_WORK } else { MOST_WORK };
    let model = match predicted.predictor {
        Some(Predictor::Replay) => ReplayModel::new(graph, machine),
        _ => None,
    };
    let replays = both.map(|placement| model.as_ref()?.replay(placement, most_work));
    // Only times of the same predictor can be compared.
    let (predictor, [default, mapped]) = match replays {
        [Some(default), Some(mapped)] => (Predictor::Replay, [default.total, mapped.total]),
        _ => {
            let time = |placement| metric::score_of_routes(graph, machine, placement).time;
            (
                Predictor::T,
                both.map(|placement| time(placement).formula()),
            )
        }
    };
    Predicted {
        predictor: Some(predictor),
        default,
        mapped,
        ..predicted
    }
}

/// Whether the next run should use the map: links are predicted to need less time for it, and
/// enough less for the program to notice, by its `runs`. Once the map was measured, the runs
/// decide.
/// A user who names the machine asks for the map, however little the program may notice.
fn is_worth_it(context: &RunContext, predicted: &Predicted, runs: &[Measured]) -> bool {
    let is_comparable = |run: &&Measured| run.model.is_some();
    let own = runs.iter().filter(is_comparable).find(|run| !run.mapped);
    let is_measured = runs.iter().filter(is_comparable).any(|run| run.mapped);
    let highest = match own {
        Some(own) if !is_measured && context.args.machine.is_none() => {
            highest_gain(own.seconds, predicted)
        }
        _ => predicted.gain(),
    };
    predicted.gain() >= LEAST_GAIN && highest >= LEAST_GAIN
}

/// The work of each replay before a launch: see
/// [`Replay::work`](rankfold_metric::replay::Replay::work). Chosen by hand; not measured.
const HURRIED_WORK: u64 = 1 << 20;

/// The predicted times of the launcher's own order and of the best placement, and the selection
/// with times by the same predictor. Where the machine has no room for the launcher's order, the
/// times of block order stand in for it.
fn predicted(
    case: &MappingCase,
    problem: &Problem,
    selection: Selection,
) -> (Predicted, Selection) {
    let (graph, machine) = (&problem.graph, &problem.machine.machine);
    let order = match problem.default_order(case) {
        Some(order) => seated(&order, machine),
        None => filled(case.hosts, graph.ranks(), machine),
    };
    let order = order.unwrap_or_else(|| Placement::block(graph.ranks()));
    let by_formula = metric::score_of_routes(graph, machine, &order).time;
    let (selection, default) = match replayed(case, problem, &order, selection) {
        (selection, Some(total)) => (selection, by_formula.with_replay(total)),
        (selection, None) => (selection, by_formula),
    };
    let mapped = selection.winner().1.score.time;
    let predicted = Predicted {
        predictor: Some(mapped.predictor()),
        default: default.total(),
        mapped: mapped.total(),
        unit: default.unit.to_string(),
        part: case.part,
    };
    (predicted, selection)
}

/// The replayed time of the launcher's own order, and the selection with times by replays. Where
/// there is no replay of one of the placements, the selection has times by the formula, and there
/// is no replayed time.
fn replayed(
    case: &MappingCase,
    problem: &Problem,
    order: &Placement,
    selection: Selection,
) -> (Selection, Option<f64>) {
    let model = ReplayModel::new(&problem.graph, &problem.machine.machine);
    let replay = |placement: &Placement, most_work| model.as_ref()?.replay(placement, most_work);
    match selection.replayed.predictor() {
        Predictor::Replay => match replay(order, MOST_WORK) {
            Some(own) => (selection, Some(own.total)),
            None => (selection.by_formula(), None),
        },
        // A search in a hurry replays nothing, so that the launch comes soon.
        Predictor::T if case.hurry => {
            let block = Placement::block(order.ranks());
            let all = [order, &block, &selection.winner().1.placement];
            match all.map(|placement| replay(placement, HURRIED_WORK)) {
                [Some(own), Some(block), Some(winner)] => {
                    (selection.by_replays([block, winner]), Some(own.total))
                }
                _ => (selection, None),
            }
        }
        Predictor::T => (selection, None),
    }
}

/// The hosts and cores of all ranks of a placement. The cores of ranks that `torchrun` starts are
/// its own choice.
fn map(case: &MappingCase, problem: &Problem, placement: &Placement) -> RankMap {
    let machine = &problem.machine.machine;
    let names = machine.hosts().unwrap_or_default();
    let nodes = placement.nodes(machine.slots());
    let ranks_each = problem.ranks_of_host.unwrap_or(1);
    let hosts = nodes.iter().map(|node| &names[node.index()]);
    RankMap {
        hosts: hosts
            .flat_map(|host| std::iter::repeat_n(host.clone(), ranks_each))
            .collect(),
        cores: match problem.ranks_of_host {
            Some(_) => RankCores::default(),
            None => of_ranks(machine, placement, &case.profile.surroundings),
        },
    }
}

/// The heuristic that found the best placement and the refinements after it, joined by `+`.
fn winner_name(selection: &Selection) -> String {
    let (candidate, winner) = selection.winner();
    let refined = winner.refined_by();
    [&[candidate.heuristic], &refined[..]].concat().join("+")
}

/// Writes the figures of a search to the file of `--json`, and prints them for `--explain`.
fn publish(
    context: &RunContext,
    (report, machine): (&Report, &Machine),
    selection: &Selection,
    corrected: Option<&CorrectedPrediction>,
) -> anyhow::Result<()> {
    if let Some(path) = &context.args.json {
        let written = RunDocument {
            figures: report,
            corrected: corrected.map(CorrectedPrediction::figures),
            comparison: None,
        };
        output::write(path, &document::text(&written)?)?;
    }
    if context.args.explain {
        // The user asks for these lines, so `--quiet` does not silence them.
        eprint!("{report}\n{}", metrics_table::table(report));
        eprint!("\n{}", explain::table(selection, report, machine));
        if let Some(corrected) = corrected {
            eprintln!("corrected prediction: {}", corrected.words());
        }
    }
    Ok(())
}
