//! Makes a map: from the profile of a program and the hosts of a job to a placement and its
//! prediction.

use super::context::RunContext;
use super::cores::of_ranks;
use super::corrected::CorrectedPrediction;
use super::documents::RunDocument;
use super::problem::{MappingCase, Problem, problem};
use rankfold_assess::{Saving, Unit, saved};
use rankfold_base::Placement;
use rankfold_cache::{Measured, Predicted, Promise, RankMap, Solution, State};
use rankfold_console::{output, terminal};
use rankfold_launch::placement::RankCores;
use rankfold_machine::Machine;
use rankfold_mapper::cli::report::Report;
use rankfold_mapper::cli::search::search;
use rankfold_mapper::cli::{explain, metrics_table};
use rankfold_mapper::document;
use rankfold_search::select::Selection;

/// A map, and whether it is better than the launch.
pub(super) struct SolvedMap {
    pub(super) map: RankMap,
    pub(super) solution: Solution,
    /// The predicted seconds inside MPI; `None` where no run was measured that tells.
    pub(super) corrected: Option<CorrectedPrediction>,
    /// What the run has measured that was profiled for this map, with the model's time.
    pub(super) took: Option<Measured>,
    /// Whether the map is predicted to make communication and the whole run faster by
    /// [`LEAST_GAIN`], or the launch breaks a constraint.
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
            State::Launched(self.solution.clone())
        }
    }
}

/// A map is used if communication is promised to be so many times as fast as in the order
/// as launched. Gains are shown in hundredths, and runs of one program differ by a hundredth and
/// more: a smaller gain could be neither shown nor measured.
pub(in crate::commands) const LEAST_GAIN: f64 = 1.01;

/// Makes the map of a profile on the hosts of a job.
///
/// # Errors
/// The profile, the machine or an option cannot be used for these hosts and ranks.
pub(super) fn solve(context: &RunContext, case: &MappingCase) -> anyhow::Result<SolvedMap> {
    let problem = problem(context, case)?;
    let machine = &problem.machine.machine;
    let options = &context.args.search;
    let request = if case.hurry {
        options.request_before_launch()
    } else {
        options.request_between_runs(problem.graph.ranks())
    };
    let asked = options.constraints.apply(problem.case())?;
    let is_launch_allowed = (asked.constraints).are_kept_by(&problem.launched, machine);
    let (selection, cost) = search(options, problem.case(), &request)?;
    let saving = selection.saving(&problem.graph, machine);
    let as_taken = predicted(case.part, &selection, None);
    let predicted = predicted(case.part, &selection, saving.as_ref());
    let report = Report::of_selection(&selection, machine, &request, cost);
    let report = if case.hurry {
        report.resting_on(saving.as_ref())
    } else {
        report.assuming(&problem.graph, machine, &selection)
    };
    let took = case.took.clone().map(|took| Measured {
        model: predicted.model_time(false),
        ..took
    });
    let runs: Vec<Measured> = case.runs.iter().chain(&took).cloned().collect();
    let corrected = CorrectedPrediction::new(&runs, &predicted);
    let promise = |corrected: Option<&CorrectedPrediction>, predicted: &Predicted| match corrected {
        Some(corrected) => corrected.promise(),
        None => predicted.promise(),
    };
    let promised = Promise {
        at_least: predicted.mapped > as_taken.mapped,
        ..promise(corrected.as_ref(), &predicted)
    };
    let predicted = Predicted {
        promised: Some(promised),
        ..predicted
    };
    let taken = promise(
        CorrectedPrediction::new(&runs, &as_taken).as_ref(),
        &as_taken,
    );
    publish(context, (&report, machine), &selection, corrected.as_ref())?;
    if !context.args.explain {
        let text = report.what_to_know();
        text.lines().for_each(terminal::note);
    }
    Ok(SolvedMap {
        map: map(case, &problem, selection.winner().1.placement()),
        worth: !is_launch_allowed || is_worth_it(&taken, &as_taken, &runs),
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

/// The predicted times of the launch and of the map, which the search has assessed together. The
/// map has the time that is promised where its `saving` rests on capacities that nobody told.
/// `part` says whether the profile is of the first part of a run only.
pub(in crate::commands) fn predicted(
    part: bool,
    selection: &Selection,
    saving: Option<&Saving>,
) -> Predicted {
    let launched = selection.reference().assessment.time();
    let mapped = selection.winner().1.score().time;
    let total = launched.total();
    let promised = |it: &Saving| total * (1.0 - it.promised(saved([total, mapped.total()])));
    Predicted {
        predictor: Some(mapped.predictor()),
        launched: total,
        mapped: saving.map_or(mapped.total(), promised),
        unit: launched.unit.to_string(),
        part,
        promised: None,
    }
}

/// Whether runs should use the map: with capacities as they are taken, its gain is worth a mention,
/// in communication and for the run as a whole, on links alone where a run with the map was
/// measured. In comparable circumstances the `runs` decide then.
fn is_worth_it(taken: &Promise, predicted: &Predicted, runs: &[Measured]) -> bool {
    let mut modelled = runs.iter().filter(|run| run.model.is_some());
    if modelled.any(|run| run.mapped) {
        return predicted.gain() >= LEAST_GAIN;
    }
    let of_run = taken.run.map(|[launched, mapped]| launched / mapped);
    taken.gain >= LEAST_GAIN && of_run.is_none_or(|gain| gain >= LEAST_GAIN)
}

/// The hosts and cores of all ranks of a placement. The cores of ranks that `torchrun` starts are
/// its own choice.
fn map(case: &MappingCase, problem: &Problem, placement: &Placement) -> RankMap {
    let machine = &problem.machine.machine;
    let names = machine.hosts().unwrap_or_default();
    let nodes = placement.nodes(machine.slots());
    let hosts = nodes.iter().map(|node| names[node.index()].clone());
    RankMap {
        hosts: hosts.collect(),
        cores: match problem.unit {
            Unit::Hosts(_) => RankCores::default(),
            Unit::Ranks => of_ranks(machine, placement, &case.profile.surroundings),
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

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_cache::samples;
    use rankfold_graph::samples::{graph, message};
    use rankfold_machine::Paths;
    use rankfold_machine::samples::two_leaves;
    use rankfold_problem::heuristic::Effort;
    use rankfold_search::select::{Request, select};

    #[test]
    fn what_rests_on_capacities_that_nobody_told_is_promised_as_far_as_it_is_sure() {
        // Partners sit two ranks apart, and everybody sends everybody a little.
        let send = |from, to, bytes| [message(from, to, bytes), message(to, from, bytes)];
        let near = [0, 1, 4, 5, 8, 9, 12, 13];
        let near = near.into_iter().flat_map(|rank| send(rank, rank + 2, 1000));
        let all = (0..16).flat_map(|a| (0..a).flat_map(move |b| send(a, b, 10)));
        let graph = graph(16, near.chain(all).collect());
        let request = Request {
            effort: Effort::Hurried,
            ..Request::default()
        };
        let promised = |ratios| {
            let machine = two_leaves(ratios, Some(Paths::Spread), 2);
            let selection = select(&graph, &machine, &request).unwrap();
            let saving = selection.saving(&graph, &machine);
            [None, saving.as_ref()].map(|it| predicted(false, &selection, it).gain())
        };
        let [as_taken, sure] = promised("unknown");
        assert!(1.5 < sure && sure < 0.6 * as_taken, "{sure} of {as_taken}");
        let [as_taken, sure] = promised("1:1");
        assert_eq!(as_taken, sure, "nothing is in doubt");
    }

    #[test]
    fn what_cannot_be_told_in_hundredths_is_not_worth_a_run() {
        let predicted = Predicted {
            launched: 5.0,
            mapped: 1.0,
            ..Predicted::default()
        };
        let promise = |gain, run| Promise {
            gain,
            run,
            ..predicted.promise()
        };
        assert!(!is_worth_it(&promise(1.004, None), &predicted, &[]));
        assert!(is_worth_it(&promise(1.01, None), &predicted, &[]));
        let start_up = promise(2.0, Some([60.0, 59.9]));
        assert!(!is_worth_it(&start_up, &predicted, &[]));
        assert!(is_worth_it(
            &promise(2.0, Some([60.0, 59.0])),
            &predicted,
            &[]
        ));
        let none = promise(1.0, None);
        let run = |mapped| Measured {
            model: predicted.model_time(mapped),
            ..samples::measured(mapped, "x", 1.0)
        };
        assert!(!is_worth_it(&none, &predicted, &[run(false)]));
        let measured = is_worth_it(&none, &predicted, &[run(false), run(true)]);
        assert!(measured, "its runs decide");
    }
}
