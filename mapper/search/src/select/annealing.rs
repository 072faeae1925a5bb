//! Predicted time or congestion as the objective: anneals from the best placements.
//!
//! Placements with few hop-bytes differ in their busiest links by a third, and annealing keeps much
//! of its start: so it starts from the best by the objective, a descent's result as a rule. With
//! time to spare several are annealed side by side, and the best result once more.

use super::run::{Continued, Run};
use crate::heuristic::{Diagnostics, Effort, Problem};
use crate::objective::Anneal;
use crate::refine::time::{Annealed, Schedule, TimeSearch};
use crate::team::dealt;
use rankfold_model::metric;
use rankfold_model::metric::time::TimeModel;
use rankfold_model::placement::Placement;
use rayon::prelude::*;
use std::time::Instant;

/// What an anneal is called among the refinements.
const ANNEAL: &str = "anneal-time";

/// Ranks up to which anneals are short enough to be worth their time at any effort but the highest.
const MOST_RANKS: usize = 1 << 15;

/// Times this much apart are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// How much the anneals may try.
#[derive(Clone, Copy, Debug)]
struct Params {
    /// Placements to start from.
    starts: usize,
    /// Whether the best result is annealed once more.
    again: bool,
    /// Links that each anneal may pass for every rank, and the most in all.
    each: u64,
    most: u64,
}

impl Params {
    fn of(effort: Effort) -> Self {
        let (starts, again, each, most) = match effort {
            Effort::Hurried => (1, false, 30_000, 3_000_000),
            Effort::Fast => (1, false, 30_000, 20_000_000),
            Effort::Balanced => (1, false, 60_000, 100_000_000),
            Effort::Best => (8, true, 3_000_000, 20_000_000_000),
        };
        Self {
            starts,
            again,
            each,
            most,
        }
    }
}

/// Anneals from the best of `runs`, as runs of their own; none if the objective asks for none.
pub(super) fn anneals(problem: &Problem<'_>, runs: &[Run]) -> Vec<Run> {
    match affordable(problem) {
        None => Vec::new(),
        Some(Anneal::Time(share)) => for_time(problem, share, runs),
        Some(Anneal::Congestion(share)) => for_congestion(problem, share, runs),
    }
}

/// What the objective has annealed, where anneals are worth their time.
pub(super) fn affordable(problem: &Problem<'_>) -> Option<Anneal> {
    let short = problem.graph.ranks() <= MOST_RANKS || problem.effort == Effort::Best;
    let anneal = problem.objective.anneal(problem.graph);
    anneal.filter(|_| short)
}

fn for_time(problem: &Problem<'_>, share: f64, runs: &[Run]) -> Vec<Run> {
    let model = TimeModel::new(problem.graph, problem.machine, share);
    let Some(search) = TimeSearch::new(&model, problem.machine) else {
        return Vec::new();
    };
    let starts = best(runs, |run| Some(model.time(run.placement()?).total()));
    if at_its_best(problem, &model, runs, &starts) {
        return Vec::new();
    }
    let mut found = annealed(problem, &search, &starts);
    // Links are busy in a phase, not in the whole: what suits the longest phase may suit the sum of
    // all.
    for phase in model.phases() {
        if let Some(search) = TimeSearch::new(phase, problem.machine) {
            found.extend(annealed(problem, &search, &starts));
        }
    }
    found
}

/// Those of the anneals that lower the highest congestion and pay no more hop-bytes than the
/// objective allows: so they win.
fn for_congestion(problem: &Problem<'_>, share: f64, runs: &[Run]) -> Vec<Run> {
    let (graph, machine) = (problem.graph, problem.machine);
    let fewest = runs.iter().filter_map(Run::hop_bytes).min();
    let search = TimeSearch::congestion(graph, machine, share);
    let (Some(search), Some(fewest)) = (search, fewest) else {
        return Vec::new();
    };
    let congestion = |run: &Run| {
        let nodes = run.placement()?.nodes(machine.slots());
        let loads =
            metric::routed_loads(machine.topology(), &metric::NodeFlows::new(graph, &nodes));
        Some(metric::Congestion::of(&loads).max)
    };
    let limit = problem.objective.most_hop_bytes(fewest);
    let allowed = |run: &Run| run.hop_bytes().is_some_and(|found| found <= limit);
    let starts = best(runs, |run| congestion(run).filter(|_| allowed(run)));
    let Some(&(lowest, _)) = starts.first() else {
        return Vec::new();
    };
    let least = metric::quick_lower_bound_of(problem.affinity, machine).hop_bytes;
    let least = metric::congestion_bound(graph, machine, least).congestion;
    if lowest <= least * (1.0 + ROUNDING) {
        return Vec::new();
    }
    let mut found = annealed(problem, &search, &starts);
    found.retain(|run| allowed(run) && congestion(run).is_some_and(|found| found < lowest));
    found
}

/// Anneals from the first of `starts`, side by side.
fn annealed(problem: &Problem<'_>, search: &TimeSearch<'_>, starts: &[(f64, &Run)]) -> Vec<Run> {
    let params = Params::of(problem.effort);
    let work = params.most.min(params.each * problem.graph.ranks() as u64);
    let anneal =
        |start: &Run, deadline: Option<Instant>, number: u64| -> Option<(f64, Continued)> {
            let begun = Instant::now();
            let schedule = Schedule { work, deadline };
            let seed = problem.seed ^ (number + 1) << 40;
            let placement = start.placement()?;
            let found = search.anneal(placement, schedule, seed)?;
            let did = diagnostics(problem, placement, &found);
            let seconds = begun.elapsed().as_secs_f64();
            Some((found.after, (found.placement, did, seconds)))
        };
    let run = |start: &Run, (after, found): (f64, Continued)| {
        Some((after, start.continued(problem, ANNEAL, found)?))
    };
    let starts = &starts[..params.starts.min(starts.len())];
    let deadline = match params.again {
        true => problem.deadline.map(half_way),
        false => problem.deadline,
    };
    let found = dealt(problem.team, starts.len(), |number| {
        anneal(starts[number].1, deadline, number as u64)
    });
    let found = starts.iter().zip(found);
    let mut found: Vec<(f64, Run)> = found
        .filter_map(|((_, start), found)| run(start, found?))
        .collect();
    let best = found.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, best)) = best.filter(|_| params.again) {
        let again = dealt(problem.team, 1, |_| {
            anneal(best, problem.deadline, starts.len() as u64)
        });
        let again = again.into_iter().next().flatten();
        let again = again.and_then(|found| run(best, found));
        found.extend(again);
    }
    found.into_iter().map(|(_, run)| run).collect()
}

/// Runs with what they are worth, the lowest first, and of those that are alike the first.
fn best(runs: &[Run], worth: impl Fn(&Run) -> Option<f64> + Sync) -> Vec<(f64, &Run)> {
    let judged = runs.par_iter().filter_map(|run| Some((worth(run)?, run)));
    let mut judged: Vec<(f64, &Run)> = judged.collect();
    judged.sort_by(|a, b| a.0.total_cmp(&b.0));
    judged.dedup_by_key(|(worth, run)| (worth.to_bits(), run.hop_bytes()));
    judged
}

/// Whether annealing has nothing to find in the fastest placement: no other one has a less busy
/// link, or overhead hides it, and no search for hop-bytes found fewer.
fn at_its_best(
    problem: &Problem<'_>,
    model: &TimeModel<'_>,
    runs: &[Run],
    fastest: &[(f64, &Run)],
) -> bool {
    let Some(&(_, run)) = fastest.first() else {
        return true;
    };
    let fewest = runs.iter().filter_map(Run::hop_bytes).min();
    if run.hop_bytes() > fewest {
        return false;
    }
    let (graph, machine) = (problem.graph, problem.machine);
    let hop_bytes = metric::quick_lower_bound_of(problem.affinity, machine).hop_bytes;
    let least = metric::congestion_bound(graph, machine, hop_bytes).congestion;
    let busiest = run.placement().map(|it| model.time(it).busiest_link);
    let enough = least.max(model.overhead()) * (1.0 + ROUNDING);
    busiest.is_some_and(|busiest| busiest <= enough)
}

/// The middle of what is left until then.
pub(super) fn half_way(end: Instant) -> Instant {
    let now = Instant::now();
    now + end.saturating_duration_since(now) / 2
}

fn diagnostics(problem: &Problem<'_>, start: &Placement, found: &Annealed) -> Diagnostics {
    let hop_bytes = |placement: &Placement| {
        let nodes = placement.nodes(problem.machine.slots());
        metric::hop_bytes(problem.graph, problem.machine.topology(), &nodes)
    };
    Diagnostics {
        passes: found.rounds,
        moves: found.accepted,
        history: vec![hop_bytes(start), hop_bytes(&found.placement)],
        notes: vec![format!(
            "value {:.4e} to {:.4e}, {} of {} exchanges taken",
            found.before, found.after, found.accepted, found.proposed
        )],
    }
}
