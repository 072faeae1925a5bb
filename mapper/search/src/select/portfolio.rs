//! Runs heuristics and refinements, side by side where they do not depend on each other.
//!
//! Every heuristic that takes part makes a placement. The placements with few enough hop-bytes get
//! the short refinements, and the best of these the long ones. A placement that is left out saves
//! time and, as far as measured, would not have won.

use super::annealing::{affordable, anneals, half_way};
use super::descent::descents;
use super::run::{Constructed, Run, Work};
use super::{HEURISTICS, Progress, REFINEMENTS, Request, SelectError, Watch};
use crate::heuristic::{Effort, Family, Heuristic, NotApplicable, Problem, Refinement};
use crate::objective::Anneal;
use crate::team::dealt;
use rankfold_model::renumbered::Renumbered;
use std::borrow::Cow;
use std::time::Instant;

/// Pairs of ranks up to which every placement is refined at any effort: it takes no time.
const SMALL: usize = 1 << 12;

/// Ranks up to which a long refinement is short enough for one placement more.
const FEW_RANKS: usize = 1 << 11;

/// A placement with more hop-bytes than the best by one in so many does not catch up in a long
/// refinement.
const CATCHES_UP: u128 = 4;

/// Who takes part and who is refined at an effort.
#[derive(Clone, Copy, Debug)]
struct Params {
    /// Whether heuristics run too that others are known to beat on such machines and patterns.
    asks_everybody: bool,
    /// Placements get the short refinements that have more hop-bytes than the best by at most one
    /// in so many; `None`: all of them.
    promising: Option<u128>,
    /// Whether placements are refined, too, whose heuristic has refined them.
    refines_again: bool,
    /// Placements that get the long refinements, in worlds of up to [`FEW_RANKS`] ranks and in
    /// larger ones.
    leaders: (usize, usize),
}

impl Params {
    fn of(effort: Effort) -> Self {
        let balanced = Self {
            asks_everybody: false,
            promising: Some(2),
            refines_again: true,
            leaders: (3, 2),
        };
        match effort {
            Effort::Hurried | Effort::Fast => Self {
                promising: Some(10),
                refines_again: false,
                leaders: (0, 0),
                ..balanced
            },
            Effort::Balanced => balanced,
            Effort::Best => Self {
                asks_everybody: true,
                promising: None,
                // One long annealing forgets where it began and ends lower than several short ones.
                leaders: (1, 1),
                ..balanced
            },
        }
    }
}

/// Runs of all heuristics that take part without being asked by name; block order is refined or
/// left out.
///
/// `problem` is about the renumbered graph.
pub(super) fn all(
    problem: &Problem<'_>,
    renumbered: &Renumbered<'_>,
    request: &Request,
    watch: Watch<'_>,
) -> Vec<Run> {
    let params = Params::of(problem.effort);
    let asked = HEURISTICS
        .iter()
        .copied()
        .filter(|h| request.refine || h.about().name != "block");
    let (first, rest): (Vec<_>, Vec<_>) =
        asked.partition(|h| h.about().family != Family::Irregular);
    let mut runs = construct(problem, renumbered, first, watch, |h| {
        unaffordable(problem, h)
    });
    let solved = runs
        .iter()
        .filter(|_| !params.asks_everybody && !problem.machine.is_switched())
        .filter(|_| problem.pattern.is_whole())
        .find(|run| run.heuristic.about().family == Family::Regular && run.outcome.is_ok())
        .map(|run| run.heuristic.about().name);
    runs.extend(construct(problem, renumbered, rest, watch, |h| {
        unwanted(problem, h, solved)
    }));
    if request.refine {
        refine(problem, &mut runs, watch);
        search_on(problem, &mut runs, watch);
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
    let as_they_are = Renumbered::identity(Cow::Borrowed(problem.graph));
    let mut runs = construct(problem, &as_they_are, vec![heuristic], watch, |_| None);
    if let Some(Err(reason)) = runs.first().map(|run| &run.outcome) {
        return Err(SelectError::NotApplicable {
            name: heuristic.about().name,
            reason: reason.clone(),
        });
    }
    if with_refinement {
        // Fewer hop-bytes are not better by every objective.
        let constructed: Vec<Run> = match problem.objective.aim(problem.graph) {
            Some(_) => runs.iter().filter_map(Run::unrefined).collect(),
            None => Vec::new(),
        };
        refine(problem, &mut runs, watch);
        runs.extend(constructed);
        search_on(problem, &mut runs, watch);
    }
    Ok(runs)
}

/// What the objective goes on with from the best placements so far.
fn search_on(problem: &Problem<'_>, runs: &mut Vec<Run>, watch: Watch<'_>) {
    watch(Progress::Planned(2));
    watch(Progress::Searching("descent"));
    runs.extend(descents(problem, runs));
    watch(Progress::Searching("annealing"));
    runs.extend(anneals(problem, runs));
}

fn construct(
    problem: &Problem<'_>,
    renumbered: &Renumbered<'_>,
    heuristics: Vec<&'static dyn Heuristic>,
    watch: Watch<'_>,
    unwanted: impl Fn(&dyn Heuristic) -> Option<String> + Sync,
) -> Vec<Run> {
    let wanted = heuristics.iter().filter(|one| unwanted(**one).is_none());
    watch(Progress::Planned(wanted.count()));
    let construct = |problem: &Problem<'_>, heuristic: &'static dyn Heuristic| {
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
        let seconds = start.elapsed().as_secs_f64();
        Ok(Constructed::new(problem, placed, seconds))
    };
    let together =
        |heuristic: &dyn Heuristic| problem.team.size() > 1 && heuristic.about().together;
    let alone = problem.by_itself();
    let found = dealt(problem.team, heuristics.len(), |number| {
        let heuristic = heuristics[number];
        (!together(heuristic)).then(|| construct(&alone, heuristic))
    });
    let runs = heuristics.into_iter().zip(found);
    let runs = runs.map(|(heuristic, found)| Run {
        heuristic,
        outcome: found
            .unwrap_or_else(|| construct(problem, heuristic))
            .map(Work::new),
    });
    runs.collect()
}

/// Short refinements for the promising placements, long ones for the leaders after that.
fn refine(problem: &Problem<'_>, runs: &mut [Run], watch: Watch<'_>) {
    let (short, long): (Vec<_>, Vec<_>) = REFINEMENTS
        .iter()
        .filter(|refinement| (refinement.about().suits)(problem.machine))
        .filter(|refinement| refinement.about().least_effort <= problem.effort)
        .partition(|refinement| refinement.about().least_effort <= Effort::Fast);
    let best = runs.iter().filter_map(Run::hop_bytes).min().unwrap_or(0);
    let params = Params::of(problem.effort);
    let most = match params.promising {
        Some(part) if problem.graph.pairs() > SMALL => best.saturating_add(best / part),
        _ => u128::MAX,
    };
    let promising = |run: &Run| {
        let refined = !params.refines_again && run.heuristic.about().refines;
        !refined && run.hop_bytes().is_some_and(|found| found <= most)
    };
    run_all(problem, runs, &short, watch, promising);

    let leaders = match problem.graph.ranks() <= FEW_RANKS {
        true => params.leaders.0,
        false => params.leaders.1,
    };
    // What follows to lower predicted time needs time, too, and other starts than the few with the
    // fewest hop-bytes.
    let anneals_follow = matches!(affordable(problem), Some(Anneal::Time(_)));
    let leading = leading(
        runs,
        if anneals_follow {
            leaders.min(1)
        } else {
            leaders
        },
    );
    let problem = &Problem {
        deadline: match anneals_follow {
            true => problem.deadline.map(half_way),
            false => problem.deadline,
        },
        ..*problem
    };
    run_all(problem, runs, &long, watch, |run| {
        leading.contains(&run.heuristic.about().name)
    });
}

/// The heuristics whose placements have the fewest hop-bytes. Placements with equal hop-bytes are
/// one and the same as a rule: the first stands for all.
fn leading(runs: &[Run], leaders: usize) -> Vec<&'static str> {
    let found = |run: &Run| Some((run.hop_bytes()?, run.heuristic.about().name));
    let mut found: Vec<_> = runs.iter().filter_map(found).collect();
    found.sort_by_key(|&(hop_bytes, _)| hop_bytes);
    found.dedup_by_key(|&mut (hop_bytes, _)| hop_bytes);
    found.truncate(leaders);
    let best = found.first().map_or(0, |&(hop_bytes, _)| hop_bytes);
    found.retain(|&(hop_bytes, _)| hop_bytes <= best.saturating_add(best / CATCHES_UP));
    found.into_iter().map(|(_, name)| name).collect()
}

fn run_all(
    problem: &Problem<'_>,
    runs: &mut [Run],
    refinements: &[&&dyn Refinement],
    watch: Watch<'_>,
    chosen: impl Fn(&Run) -> bool + Sync,
) {
    let alone = problem.by_itself();
    let mut chosen: Vec<(&'static str, &mut Work)> = runs
        .iter_mut()
        .filter(|run| chosen(run))
        .filter_map(|run| Some((run.heuristic.about().name, run.outcome.as_mut().ok()?)))
        .collect();
    watch(Progress::Planned(chosen.len() * refinements.len()));
    let refined = dealt(problem.team, chosen.len(), |number| {
        let (name, work) = &chosen[number];
        work.refined(&alone, refinements, |refinement| {
            watch(Progress::Refining(name, refinement.about().name));
        })
    });
    for ((_, work), refined) in chosen.iter_mut().zip(refined) {
        work.take(refined, refinements);
    }
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
    if !Params::of(problem.effort).asks_everybody && !(heuristic.about().suits)(problem.machine) {
        return Some(unsuited(heuristic));
    }
    unaffordable(problem, heuristic)
}

/// Why a heuristic is not worth its time here.
fn unaffordable(problem: &Problem<'_>, heuristic: &dyn Heuristic) -> Option<String> {
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
