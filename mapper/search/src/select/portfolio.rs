//! Runs heuristics and refinements, side by side where they do not depend on each other.
//!
//! Every heuristic that takes part makes a placement. Placements with few enough hop-bytes get the
//! short refinements, and the best of these get the long refinements. Placements that are left out
//! save time; in the cases measured, none of them would have won.

use super::run::{Constructed, Run, Work};
use super::{BLOCK_ORDER, Portfolio, Progress, Request, SelectError, Watch};
use rankfold_graph::renumbered::Renumbered;
use rankfold_problem::heuristic::{
    Effort, Family, Heuristic, NotApplicable, Problem, Reached, Refinement, Scope, Start,
};
use rankfold_problem::team::dealt;
use rankfold_refine::{anneals_decide, anneals_once, suits_tabu};
use std::borrow::Cow;
use std::time::Instant;

/// With at most this many pairs of ranks, every placement is refined at any effort, since that
/// takes no time.
const SMALL: usize = 1 << 12;

/// With at most this many ranks, one placement more gets the long refinements.
const FEW_RANKS: usize = 1 << 11;

/// A placement whose hop-bytes exceed the best by more than 1 / `CATCHES_UP` gets no long
/// refinement: it would not catch up.
const CATCHES_UP: u128 = 4;

/// Before a deadline, heuristics have one part in this many of the time, where long searches follow
/// the heuristics. Measured when set: `--objective hop-bytes --effort best --time 30` places
/// nlpkkt_256 on torus:8x8x4 with 9270928 hop-bytes, and with 9764592 where heuristics may take all
/// the time. Other parts were not tried.
const PARTS_OF_TIME: u32 = 4;

/// Which heuristics take part and which placements are refined at an effort. The numbers are chosen
/// by hand.
#[derive(Clone, Copy, Debug)]
struct Selectivity {
    /// Whether all heuristics run, including those that others beat on such machines and patterns.
    asks_all: bool,
    /// A placement gets the short refinements if its hop-bytes exceed the best by at most 1 / this
    /// number; with `None` all placements do.
    promising: Option<u128>,
    /// Whether placements that their heuristic has refined already are refined again.
    refines_again: bool,
    /// The number of placements that get the long refinements, with up to [`FEW_RANKS`] ranks and
    /// with more.
    leaders: (usize, usize),
}

impl Selectivity {
    fn of(effort: Effort) -> Self {
        let balanced = Self {
            asks_all: false,
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
                asks_all: true,
                promising: None,
                // One long annealing forgets where it began and ends lower than several short ones.
                leaders: (1, 1),
                ..balanced
            },
        }
    }
}

/// Runs all heuristics that take part without being asked for by name. Block order is returned only
/// if it was refined. `problem` holds the renumbered graph.
pub(super) fn all(
    problem: &Problem<'_>,
    renumbered: &Renumbered<'_>,
    request: &Request,
    watch: Watch<'_>,
) -> Vec<Run> {
    let selectivity = Selectivity::of(problem.effort);
    let heuristics = request.portfolio.heuristics();
    let asked = heuristics.filter(|h| request.refine || !is_block_order(*h));
    let (first, rest): (Vec<_>, Vec<_>) =
        asked.partition(|h| h.about().family != Family::Irregular);
    let mut runs = construct(problem, renumbered, request, first, watch, |h| {
        unaffordable(problem, h)
    });
    let solved = runs
        .iter()
        .filter(|_| !selectivity.asks_all && !problem.machine.is_switched())
        .filter(|_| problem.pattern.is_whole())
        .find(|run| run.heuristic.about().family == Family::Regular && run.outcome.is_ok())
        .map(|run| run.heuristic.about().name);
    runs.extend(construct(problem, renumbered, request, rest, watch, |h| {
        unwanted(problem, h, solved)
    }));
    if request.refine {
        refine(problem, request.portfolio, &mut runs, watch);
        search_on(problem, request.portfolio, &mut runs, watch);
        // Unrefined block order is a candidate anyway.
        runs.retain(|run| !is_block_order(run.heuristic) || run.is_refined());
    }
    runs
}

/// When heuristics that would go on until the deadline stop: early enough for the long searches
/// that follow them.
pub(super) fn end_of_constructions(problem: &Problem<'_>, request: &Request) -> Option<Instant> {
    let each = refinements(problem, request.portfolio, Scope::EachPlacement);
    let is_long = |refinement: &&dyn Refinement| refinement.about().least_effort > Effort::Fast;
    let searches_follow =
        each.iter().any(is_long) || anneals_decide(problem) || suits_tabu(problem);
    if request.refine && searches_follow {
        problem.part_way(PARTS_OF_TIME)
    } else {
        problem.deadline
    }
}

/// Runs the heuristic that the user named, and the refinements of its placement.
///
/// # Errors
/// [`SelectError::NotApplicable`] with the heuristic's own reason if it is not applicable.
pub(super) fn alone(
    problem: &Problem<'_>,
    heuristic: &'static dyn Heuristic,
    request: &Request,
    watch: Watch<'_>,
) -> Result<Vec<Run>, SelectError> {
    let as_they_are = Renumbered::identity(Cow::Borrowed(problem.graph));
    let mut runs = construct(
        problem,
        &as_they_are,
        request,
        vec![heuristic],
        watch,
        |_| None,
    );
    if let Some(Err(reason)) = runs.first().map(|run| &run.outcome) {
        return Err(SelectError::NotApplicable {
            name: heuristic.about().name,
            reason: reason.clone(),
        });
    }
    if request.refine {
        // Fewer hop-bytes are not better by every objective: the unrefined placement stays, too.
        let mut constructed: Vec<Run> = Vec::new();
        if problem
            .objective
            .descent(problem.graph, problem.machine)
            .is_some()
        {
            constructed.extend(runs.iter().filter_map(Run::unrefined));
        }
        refine(problem, request.portfolio, &mut runs, watch);
        runs.extend(constructed);
        search_on(problem, request.portfolio, &mut runs, watch);
    }
    Ok(runs)
}

fn is_block_order(heuristic: &dyn Heuristic) -> bool {
    heuristic.about().name == BLOCK_ORDER.about().name
}

/// Refinements that search on from the best placements so far.
fn search_on(problem: &Problem<'_>, portfolio: Portfolio, runs: &mut Vec<Run>, watch: Watch<'_>) {
    let searching = refinements(problem, portfolio, Scope::BestPlacements);
    watch(Progress::Planned(searching.len()));
    for refinement in searching {
        let name = refinement.about().name;
        watch(Progress::Searching(name));
        let mut solved: Vec<&Run> = runs.iter().filter(|run| run.start().is_some()).collect();
        let best = (problem.constraints.start())
            .and_then(|_| solved.iter().copied().min_by_key(|run| run.hop_bytes()));
        // Which ranks may move further depends on the placement that is searched on from.
        solved.retain(|run| best.is_none_or(|best| std::ptr::eq(*run, best)));
        let starts: Vec<Start<'_>> = solved.iter().filter_map(|run| run.start()).collect();
        let held = best
            .filter(|_| !refinement.about().counts_moves)
            .and_then(|best| Some(problem.constraints.held_at(best.placement()?)));
        let problem = &Problem {
            constraints: held.as_deref().unwrap_or(problem.constraints),
            ..*problem
        };
        let reached = refinement.search_on(problem, &starts).into_iter();
        let continued = |reached: Reached| solved[reached.start].continued(problem, name, reached);
        let new: Vec<Run> = reached.filter_map(continued).collect();
        runs.extend(new);
    }
}

/// The refinements of a scope that suit the machine and the effort.
fn refinements(
    problem: &Problem<'_>,
    portfolio: Portfolio,
    scope: Scope,
) -> Vec<&'static dyn Refinement> {
    let all = portfolio.refinements.iter().copied();
    let suits = |refinement: &&dyn Refinement| {
        let about = refinement.about();
        about.scope == scope
            && (about.suits)(problem.machine)
            && about.least_effort <= problem.effort
    };
    all.filter(suits).collect()
}

fn construct(
    problem: &Problem<'_>,
    renumbered: &Renumbered<'_>,
    request: &Request,
    heuristics: Vec<&'static dyn Heuristic>,
    watch: Watch<'_>,
    unwanted: impl Fn(&dyn Heuristic) -> Option<String> + Sync,
) -> Vec<Run> {
    let wanted = heuristics.iter().filter(|one| unwanted(**one).is_none());
    watch(Progress::Planned(wanted.count()));
    let problem = &Problem {
        deadline: end_of_constructions(problem, request),
        ..*problem
    };
    let construct = |problem: &Problem<'_>, heuristic: &'static dyn Heuristic| {
        if let Some(reason) = unwanted(heuristic) {
            return Err(NotApplicable(reason));
        }
        watch(Progress::Constructing(heuristic.about().name));
        let start = Instant::now();
        let mut placed = heuristic.place(problem)?;
        if heuristic.about().family == Family::Oblivious {
            // An oblivious heuristic goes by the ranks' original numbers.
            placed.placement = renumbered.to_internal(placed.placement);
        }
        let (affinity, machine) = (problem.affinity, problem.machine);
        placed.placement = problem
            .constraints
            .put_back(placed.placement, affinity, machine);
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

/// Runs the short refinements on the promising placements, then the long ones on the leaders.
fn refine(problem: &Problem<'_>, portfolio: Portfolio, runs: &mut [Run], watch: Watch<'_>) {
    let (short, long): (Vec<_>, Vec<_>) = refinements(problem, portfolio, Scope::EachPlacement)
        .into_iter()
        .partition(|refinement| refinement.about().least_effort <= Effort::Fast);
    let best = runs.iter().filter_map(Run::hop_bytes).min().unwrap_or(0);
    let selectivity = Selectivity::of(problem.effort);
    let most = match selectivity.promising {
        Some(part) if problem.graph.pairs() > SMALL => best.saturating_add(best / part),
        _ => u128::MAX,
    };
    let promising = |run: &Run| {
        let refined = !selectivity.refines_again && run.heuristic.about().refines;
        !refined && run.hop_bytes().is_some_and(|found| found <= most)
    };
    run_all(problem, runs, &short, watch, promising);

    let leaders = if problem.graph.ranks() <= FEW_RANKS {
        selectivity.leaders.0
    } else {
        selectivity.leaders.1
    };
    // The anneals that follow need time, too, and other starts than the placements with the fewest
    // hop-bytes.
    let anneals_follow = anneals_decide(problem);
    let leading = leading(
        runs,
        if anneals_follow || anneals_once(problem) {
            leaders.min(1)
        } else {
            leaders
        },
    );
    let problem = &Problem {
        deadline: if anneals_follow || suits_tabu(problem) {
            problem.half_way()
        } else {
            problem.deadline
        },
        ..*problem
    };
    run_all(problem, runs, &long, watch, |run| {
        leading.contains(&run.heuristic.about().name)
    });
}

/// The heuristics whose placements have the fewest hop-bytes. Placements with equal hop-bytes are
/// the same placement as a rule, so only the first of them counts.
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
    refinements: &[&dyn Refinement],
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

/// The reason why a heuristic of the irregular family does not run, if there is one. `solved` is
/// the regular heuristic that has placed the grid.
fn unwanted(
    problem: &Problem<'_>,
    heuristic: &dyn Heuristic,
    solved: Option<&str>,
) -> Option<String> {
    if let Some(solved) = solved {
        return Some(not_needed(solved));
    }
    if !Selectivity::of(problem.effort).asks_all && !(heuristic.about().suits)(problem.machine) {
        return Some(unsuited(heuristic));
    }
    unaffordable(problem, heuristic)
}

/// The reason why a heuristic is not worth its time here, if there is one.
fn unaffordable(problem: &Problem<'_>, heuristic: &dyn Heuristic) -> Option<String> {
    if problem.constraints.start().is_some() && !is_block_order(heuristic) {
        return Some("not needed: the search begins from a map".into());
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
