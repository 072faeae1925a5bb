//! Runs heuristics and refinements, side by side where they do not depend on each other.
//!
//! Construct, exchange, search: everybody constructs; the constructions with few enough hop-bytes get the
//! short refinements; the best of those get the long ones. What is left out saves time where it is long and
//! would not change the winner.

use super::descent::descents;
use super::run::{Run, Work};
use super::{HEURISTICS, Progress, REFINEMENTS, Request, SelectError, Watch};
use crate::heuristic::{Effort, Family, Heuristic, NotApplicable, Problem, Refinement};
use rankfold_model::renumbered::Renumbered;
use rayon::prelude::*;
use std::time::Instant;

/// Pairs of ranks up to which every construction is refined, whatever the effort: it takes no time.
const SMALL: usize = 1 << 12;

/// Ranks up to which a third leader is worth its time even when that is short.
const FEW: usize = 1 << 11;

/// Everybody who takes part without being asked by name, but for block order as it is.
///
/// `problem` is about the renumbered graph.
pub(super) fn all(
    problem: &Problem<'_>,
    renumbered: &Renumbered<'_>,
    request: &Request,
    watch: Watch<'_>,
) -> Vec<Run> {
    let asked = HEURISTICS
        .iter()
        .copied()
        .filter(|h| request.refine || h.about().name != "block");
    let (first, rest): (Vec<_>, Vec<_>) =
        asked.partition(|h| h.about().family != Family::Irregular);
    let mut runs = construct(problem, renumbered, first, watch, |h| {
        (problem.graph.ranks() > h.about().affordable_ranks).then(|| too_slow(h))
    });
    let solved = runs
        .iter()
        .filter(|_| problem.effort != Effort::Best && !problem.machine.is_switched())
        .find(|run| run.heuristic.about().family == Family::Regular && run.outcome.is_ok())
        .map(|run| run.heuristic.about().name);
    runs.extend(construct(problem, renumbered, rest, watch, |h| {
        unwanted(problem, h, solved)
    }));
    if request.refine {
        refine(problem, &mut runs, watch);
        runs.extend(descents(problem, &runs));
        // Block order as it is takes part anyway.
        runs.retain(|run| run.heuristic.about().name != "block" || run.is_refined());
    }
    runs
}

/// One heuristic the user named: its run, and those that go on from it.
///
/// # Errors
/// [`SelectError::NotApplicable`] with the heuristic's own reason if it is not applicable.
pub(super) fn alone(
    problem: &Problem<'_>,
    heuristic: &'static dyn Heuristic,
    with_refinement: bool,
    watch: Watch<'_>,
) -> Result<Vec<Run>, SelectError> {
    let as_they_are = Renumbered::identity(problem.graph);
    let mut runs = construct(problem, &as_they_are, vec![heuristic], watch, |_| None);
    if let Some(Err(reason)) = runs.first().map(|run| &run.outcome) {
        return Err(SelectError::NotApplicable {
            name: heuristic.about().name,
            reason: reason.clone(),
        });
    }
    if with_refinement {
        refine(problem, &mut runs, watch);
        runs.extend(descents(problem, &runs));
    }
    Ok(runs)
}

fn construct(
    problem: &Problem<'_>,
    renumbered: &Renumbered<'_>,
    heuristics: Vec<&'static dyn Heuristic>,
    watch: Watch<'_>,
    unwanted: impl Fn(&dyn Heuristic) -> Option<String> + Sync,
) -> Vec<Run> {
    let construct = |heuristic: &'static dyn Heuristic| {
        if let Some(reason) = unwanted(heuristic) {
            return Err(NotApplicable(reason));
        }
        watch(Progress::Constructing(heuristic.about().name));
        let start = Instant::now();
        let mut placed = heuristic.place(problem)?;
        if heuristic.about().family == Family::Oblivious {
            // It went by the ranks' own numbers.
            placed.placement = renumbered.to_internal(placed.placement);
        }
        Ok(Work::new(problem, placed, start.elapsed().as_secs_f64()))
    };
    let runs = heuristics.into_par_iter().map(|heuristic| Run {
        heuristic,
        outcome: construct(heuristic),
    });
    runs.collect()
}

/// Short refinements for the promising, long ones for the leaders.
fn refine(problem: &Problem<'_>, runs: &mut [Run], watch: Watch<'_>) {
    let (short, long): (Vec<_>, Vec<_>) = REFINEMENTS
        .iter()
        .filter(|refinement| (refinement.about().suits)(problem.machine))
        .filter(|refinement| refinement.about().least_effort <= problem.effort)
        .partition(|refinement| refinement.about().least_effort == Effort::Fast);
    let best = runs.iter().filter_map(Run::hop_bytes).min().unwrap_or(0);
    let most = match problem.effort {
        _ if problem.graph.pairs() <= SMALL => u128::MAX,
        Effort::Fast => best.saturating_add(best / 10),
        Effort::Balanced => best.saturating_add(best / 2),
        Effort::Best => u128::MAX,
    };
    let promising = |run: &Run| {
        let refined = problem.effort == Effort::Fast && run.heuristic.about().refines;
        !refined && run.hop_bytes().is_some_and(|found| found <= most)
    };
    run_all(problem, runs, &short, watch, promising);

    let leaders = match problem.effort {
        Effort::Fast => 0,
        Effort::Balanced if problem.graph.ranks() > FEW => 2,
        Effort::Balanced => 3,
        // One long annealing forgets where it began and ends lower than several short ones.
        Effort::Best => 1,
    };
    let leading = leading(runs, leaders);
    run_all(problem, runs, &long, watch, |run| {
        leading.contains(&run.heuristic.about().name)
    });
}

/// Who has the fewest hop-bytes; the first of equals stands for them all, which are one placement as a rule.
fn leading(runs: &[Run], leaders: usize) -> Vec<&'static str> {
    let found = |run: &Run| Some((run.hop_bytes()?, run.heuristic.about().name));
    let mut found: Vec<_> = runs.iter().filter_map(found).collect();
    found.sort_by_key(|&(hop_bytes, _)| hop_bytes);
    found.dedup_by_key(|&mut (hop_bytes, _)| hop_bytes);
    found.truncate(leaders);
    let best = found.first().map_or(0, |&(hop_bytes, _)| hop_bytes);
    // Who is far behind does not catch up.
    found.retain(|&(hop_bytes, _)| hop_bytes <= best.saturating_add(best / 4));
    found.into_iter().map(|(_, name)| name).collect()
}

fn run_all(
    problem: &Problem<'_>,
    runs: &mut [Run],
    refinements: &[&&dyn Refinement],
    watch: Watch<'_>,
    chosen: impl Fn(&Run) -> bool + Sync,
) {
    runs.par_iter_mut()
        .filter(|run| chosen(run))
        .for_each(|run| {
            let Ok(work) = &mut run.outcome else {
                return;
            };
            for refinement in refinements {
                watch(Progress::Refining(
                    run.heuristic.about().name,
                    refinement.about().name,
                ));
                work.refine(problem, **refinement);
            }
        });
}

/// Why a heuristic of the irregular family need not run.
fn unwanted(
    problem: &Problem<'_>,
    heuristic: &dyn Heuristic,
    solved: Option<&str>,
) -> Option<String> {
    if let Some(solved) = solved {
        return Some(not_needed(solved));
    }
    if problem.effort < Effort::Best && !(heuristic.about().suits)(problem.machine) {
        return Some(unsuited(heuristic));
    }
    if problem.effort < heuristic.about().least_effort {
        return Some(too_much_effort(heuristic));
    }
    (problem.graph.ranks() > heuristic.about().affordable_ranks).then(|| too_slow(heuristic))
}

fn not_needed(solved: &str) -> String {
    format!(
        "not needed: the ranks form a grid and {solved} places it (--effort best asks all the same)"
    )
}

fn unsuited(heuristic: &dyn Heuristic) -> String {
    format!(
        "others do better on this kind of machine (--effort best or --heuristic {} asks all the same)",
        heuristic.about().name
    )
}

fn too_slow(heuristic: &dyn Heuristic) -> String {
    format!(
        "not worth its time beyond {} ranks (--heuristic {} runs it all the same)",
        heuristic.about().affordable_ranks,
        heuristic.about().name
    )
}

fn too_much_effort(heuristic: &dyn Heuristic) -> String {
    let name = heuristic.about().name;
    format!("left out to save time (a higher --effort or --heuristic {name} runs it)")
}
