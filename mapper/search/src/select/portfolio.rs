//! Runs heuristics and refinements, side by side where they do not depend on each other.
//!
//! Construct, exchange, search: everybody constructs; the constructions with few enough hop-bytes get the
//! short refinements; the best of those get the long ones. What is left out saves time where it is long and
//! would not change the winner.

use super::descent::{descents, limit};
use super::{
    Candidate, Effort, HEURISTICS, Objective, Progress, REFINEMENTS, Request, SelectError,
    Solution, Watch,
};
use crate::heuristic::{
    Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem, Refinement,
};
use rankfold_model::comm::CommGraph;
use rankfold_model::machine::Machine;
use rankfold_model::metric::{self, Score};
use rankfold_model::placement::Placement;
use rankfold_model::renumbered::Renumbered;
use rayon::prelude::*;
use std::cmp::Ordering;
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

/// What became of every run, with all metrics of routes.
pub(super) fn scored(graph: &CommGraph, machine: &Machine, runs: Vec<Run>) -> Vec<Candidate> {
    let runs = runs.into_par_iter();
    runs.map(|run| run.finish(graph, machine)).collect()
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

/// A heuristic at work.
pub(super) struct Run {
    heuristic: &'static dyn Heuristic,
    pub(super) outcome: Result<Work, NotApplicable>,
}

pub(super) struct Work {
    pub(super) placed: Placed,
    hop_bytes: u128,
    refinement: Vec<(&'static str, Diagnostics)>,
    seconds: f64,
}

impl Run {
    pub(super) fn hop_bytes(&self) -> Option<u128> {
        self.outcome.as_ref().ok().map(|work| work.hop_bytes)
    }

    /// The same heuristic and refinements with one more that led to `placement`.
    pub(super) fn continued(
        &self,
        problem: &Problem<'_>,
        placement: Placement,
        refinement: (&'static str, Diagnostics),
        seconds: f64,
    ) -> Option<Self> {
        let work = self.outcome.as_ref().ok()?;
        let refinements = work.refinement.iter().cloned();
        Some(Self {
            heuristic: self.heuristic,
            outcome: Ok(Work {
                hop_bytes: hop_bytes(problem, &placement),
                placed: Placed {
                    placement,
                    diagnostics: work.placed.diagnostics.clone(),
                },
                refinement: refinements.chain([refinement]).collect(),
                seconds: work.seconds + seconds,
            }),
        })
    }

    fn is_refined(&self) -> bool {
        let work = self.outcome.as_ref();
        work.is_ok_and(|work| !work.refinement.is_empty())
    }

    fn finish(self, graph: &CommGraph, machine: &Machine) -> Candidate {
        Candidate {
            heuristic: self.heuristic.about().name,
            family: self.heuristic.about().family,
            outcome: self.outcome.map(|work| Solution {
                score: metric::score_of_routes(graph, machine, &work.placed.placement),
                placement: work.placed.placement,
                construction: work.placed.diagnostics,
                refinement: work.refinement,
                seconds: work.seconds,
            }),
        }
    }
}

impl Work {
    fn refine(&mut self, problem: &Problem<'_>, refinement: &dyn Refinement) {
        let start = Instant::now();
        let did = refinement.refine(problem, &mut self.placed.placement);
        self.seconds += start.elapsed().as_secs_f64();
        self.hop_bytes = did.history.last().copied().unwrap_or(self.hop_bytes);
        self.refinement.push((refinement.about().name, did));
    }
}

fn hop_bytes(problem: &Problem<'_>, placement: &Placement) -> u128 {
    let nodes = placement.nodes(problem.machine.slots());
    metric::hop_bytes_of(problem.affinity, problem.machine.topology(), &nodes)
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
        Ok(Work {
            seconds: start.elapsed().as_secs_f64(),
            hop_bytes: hop_bytes(problem, &placed.placement),
            refinement: Vec::new(),
            placed,
        })
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

/// Index of the best candidate; the earlier one of equals.
///
/// Nobody with more hop-bytes than [`most_hop_bytes`] wins, unless it ran alone.
pub(super) fn best(candidates: &[Candidate], objective: Objective, baseline: &Score) -> usize {
    let most = most_hop_bytes(candidates, objective, baseline);
    let solved = candidates.iter().enumerate().filter_map(|(index, c)| {
        let score = &c.outcome.as_ref().ok()?.score;
        let eligible = candidates.len() == 1 || score.hop_bytes <= most;
        eligible.then_some((index, score))
    });
    solved
        .min_by(|a, b| compare(objective, a.1, b.1).then(a.0.cmp(&b.0)))
        .map_or(0, |(index, _)| index)
}

/// Block order's hop-bytes; where those are not the objective, a tenth above the fewest if that is more.
pub(super) fn most_hop_bytes(
    candidates: &[Candidate],
    objective: Objective,
    baseline: &Score,
) -> u128 {
    let solved = candidates.iter().filter_map(|c| c.outcome.as_ref().ok());
    match solved.map(|solution| solution.score.hop_bytes).min() {
        Some(fewest) if objective != Objective::HopBytes => limit(fewest).max(baseline.hop_bytes),
        _ => baseline.hop_bytes,
    }
}

/// The best by the objective, or the first if none has a placement.
pub(super) fn best_of(candidates: Vec<Candidate>, objective: Objective) -> Candidate {
    let better = |a: Candidate, b: Candidate| match (&a.outcome, &b.outcome) {
        (Ok(x), Ok(y)) if compare(objective, &y.score, &x.score).is_lt() => b,
        _ => a,
    };
    let best = candidates.into_iter().reduce(better);
    best.expect("a heuristic ran")
}

/// By the objective; hop-bytes, then congestion, decide between equals.
pub(super) fn compare(objective: Objective, a: &Score, b: &Score) -> Ordering {
    let congestion = a.max_congestion.total_cmp(&b.max_congestion);
    let hop_bytes = a.hop_bytes.cmp(&b.hop_bytes);
    match objective {
        Objective::HopBytes => hop_bytes.then(congestion),
        Objective::Congestion => congestion.then(hop_bytes),
        Objective::Hybrid => a.hybrid.total_cmp(&b.hybrid).then(hop_bytes),
    }
}

/// Block order, not refined.
pub(super) fn as_launched(block: &Placement, baseline: &Score) -> Candidate {
    Candidate {
        heuristic: "block",
        family: Family::Oblivious,
        outcome: Ok(Solution {
            placement: block.clone(),
            score: baseline.clone(),
            construction: Diagnostics::default(),
            refinement: Vec::new(),
            seconds: 0.0,
        }),
    }
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
