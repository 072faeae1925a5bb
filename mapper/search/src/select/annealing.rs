//! Predicted time as the objective: anneals from the fastest placements.
//!
//! Placements with few hop-bytes differ in their busiest links by a third, and annealing keeps much of its start: so
//! several of the fastest are annealed side by side, and the best result once more.

use super::run::Run;
use crate::heuristic::{Diagnostics, Effort, Problem};
use crate::refine::time::{Annealed, Schedule, TimeSearch};
use rankfold_model::metric;
use rankfold_model::metric::time::{Time, TimeModel};
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
    /// Links that each anneal may pass for every rank, and the most in all.
    each: u64,
    most: u64,
}

impl Params {
    fn of(effort: Effort) -> Self {
        let (starts, each, most) = match effort {
            Effort::Fast => (1, 30_000, 20_000_000),
            Effort::Balanced => (2, 60_000, 100_000_000),
            Effort::Best => (8, 3_000_000, 20_000_000_000),
        };
        Self { starts, each, most }
    }
}

/// Anneals from the fastest of `runs`, as runs of their own; none if the objective is not time.
pub(super) fn anneals(problem: &Problem<'_>, runs: &[Run]) -> Vec<Run> {
    let Some(share) = problem.objective.time_share(problem.graph) else {
        return Vec::new();
    };
    if problem.graph.ranks() > MOST_RANKS && problem.effort != Effort::Best {
        return Vec::new();
    }
    let model = TimeModel::new(problem.graph, problem.machine, share);
    let Some(search) = TimeSearch::new(&model, problem.machine) else {
        return Vec::new();
    };
    let params = Params::of(problem.effort);
    let work = params.most.min(params.each * problem.graph.ranks() as u64);
    let anneal = |start: &Run, deadline: Option<Instant>, number: u64| {
        let begun = Instant::now();
        let schedule = Schedule { work, deadline };
        let seed = problem.seed ^ (number + 1) << 40;
        let placement = &start.outcome.as_ref().ok()?.placed.placement;
        let found = search.anneal(placement, schedule, seed)?;
        let did = diagnostics(problem, placement, &found);
        let seconds = begun.elapsed().as_secs_f64();
        let run = start.continued(problem, found.placement, (ANNEAL, did), seconds)?;
        Some((found.after, run))
    };
    let starts = fastest(&model, runs, params.starts);
    if at_its_best(problem, runs, &starts) {
        return Vec::new();
    }
    let half_time = problem.deadline.map(half_way);
    let annealed = starts.par_iter().enumerate();
    let annealed =
        annealed.filter_map(|(number, (_, start))| anneal(start, half_time, number as u64));
    let mut annealed: Vec<(f64, Run)> = annealed.collect();
    let best = annealed.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let again = best.and_then(|(_, run)| anneal(run, problem.deadline, starts.len() as u64));
    annealed.extend(again);
    annealed.into_iter().map(|(_, run)| run).collect()
}

/// The runs with the lowest predicted times, the first of those that are alike.
fn fastest<'a>(model: &TimeModel<'_>, runs: &'a [Run], count: usize) -> Vec<(Time, &'a Run)> {
    let timed = runs.par_iter().filter_map(|run| {
        let work = run.outcome.as_ref().ok()?;
        Some((model.time(&work.placed.placement), run))
    });
    let mut timed: Vec<(Time, &Run)> = timed.collect();
    timed.sort_by(|a, b| a.0.total().total_cmp(&b.0.total()));
    timed.dedup_by_key(|(time, run)| (time.total().to_bits(), run.hop_bytes()));
    timed.truncate(count);
    timed
}

/// Whether annealing has nothing to find in the fastest placement: no other one has a less busy link, and no search
/// for hop-bytes found fewer.
fn at_its_best(problem: &Problem<'_>, runs: &[Run], fastest: &[(Time, &Run)]) -> bool {
    let Some((time, run)) = fastest.first() else {
        return true;
    };
    let fewest = runs.iter().filter_map(Run::hop_bytes).min();
    if run.hop_bytes() > fewest {
        return false;
    }
    let (graph, machine) = (problem.graph, problem.machine);
    let hop_bytes = metric::lower_bound_of(problem.affinity, machine).hop_bytes;
    let least = metric::congestion_bound(graph, machine, hop_bytes).congestion;
    time.busiest_link <= least * (1.0 + ROUNDING)
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
            "busiest link and share of the mean transfer {:.4e} to {:.4e}, {} of {} exchanges taken",
            found.before, found.after, found.accepted, found.proposed
        )],
    }
}
