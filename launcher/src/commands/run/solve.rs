//! Makes a map: from the profile of a program and the hosts of a job to a placement and its
//! prediction.

use super::context::RunContext;
use super::cores::of_ranks;
use super::corrected::CorrectedPrediction;
use super::documents::RunDocument;
use super::problem::{MappingCase, Problem, problem};
use rankfold_assess::Unit;
use rankfold_base::Placement;
use rankfold_cache::{Measured, Predicted, RankMap, Solution, State};
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
    /// Whether the map is predicted to be better by [`LEAST_GAIN`], or the launch breaks a
    /// constraint.
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

/// A map is used if communication is promised to be so many times as fast as in the launcher's own
/// order. Gains are told in hundredths, and runs of one program differ by a hundredth and more: a
/// smaller gain could be neither told nor measured.
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
    let mut predicted = predicted(case.part, &selection);
    let report = Report::of_selection(&selection, machine, &request, cost);
    let report = if case.hurry {
        report
    } else {
        report.assuming(&problem.graph, machine, selection.winner().1.placement())
    };
    let took = case.took.clone().map(|took| Measured {
        model: predicted.model_time(false),
        ..took
    });
    let runs: Vec<Measured> = case.runs.iter().chain(&took).cloned().collect();
    let corrected = CorrectedPrediction::new(&runs, &predicted);
    predicted.promised = Some(match &corrected {
        Some(corrected) => corrected.promise(),
        None => predicted.promise(),
    });
    publish(context, (&report, machine), &selection, corrected.as_ref())?;
    if !context.args.explain {
        let told = report.what_to_know();
        told.lines().for_each(terminal::note);
    }
    Ok(SolvedMap {
        map: map(case, &problem, selection.winner().1.placement()),
        worth: !is_launch_allowed || is_worth_it(&predicted, &runs),
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

/// The predicted times of the launch and of the map, which the search has assessed together. `part`
/// says whether the profile is of the first part of a run only.
pub(in crate::commands) fn predicted(part: bool, selection: &Selection) -> Predicted {
    let launched = selection.launched.as_ref().unwrap_or(&selection.block);
    let (launched, mapped) = (
        launched.assessment.time(),
        selection.winner().1.score().time,
    );
    Predicted {
        predictor: Some(mapped.predictor()),
        launched: launched.total(),
        mapped: mapped.total(),
        unit: launched.unit.to_string(),
        part,
        promised: None,
    }
}

/// Whether runs should use the map: what it promises is worth a mention, on links alone where a
/// run with the map was measured. In comparable circumstances the `runs` decide then.
fn is_worth_it(predicted: &Predicted, runs: &[Measured]) -> bool {
    let mut modelled = runs.iter().filter(|run| run.model.is_some());
    let gain = if modelled.any(|run| run.mapped) {
        predicted.gain()
    } else {
        predicted.promise().gain
    };
    gain >= LEAST_GAIN
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
    use rankfold_cache::{Promise, samples};

    #[test]
    fn what_cannot_be_told_in_hundredths_is_not_worth_a_run() {
        let promised = |gain| Predicted {
            launched: 5.0,
            mapped: 1.0,
            promised: Some(Promise {
                gain,
                at_most: false,
                run: None,
            }),
            ..Predicted::default()
        };
        assert!(!is_worth_it(&promised(1.004), &[]));
        assert!(is_worth_it(&promised(1.01), &[]));
        let run = |mapped| Measured {
            model: promised(1.0).model_time(mapped),
            ..samples::measured(mapped, "x", 1.0)
        };
        assert!(!is_worth_it(&promised(1.0), &[run(false)]));
        let measured = is_worth_it(&promised(1.0), &[run(false), run(true)]);
        assert!(measured, "its runs decide");
    }
}
