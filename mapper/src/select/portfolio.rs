//! Runs heuristics and refinements, side by side where they do not depend on each other.

use super::{Candidate, Effort, HEURISTICS, Objective, REFINEMENTS, Request, Solution};
use crate::error::Error;
use crate::heuristic::{Diagnostics, Family, Heuristic, NotApplicable, Problem};
use crate::metric::{self, Score};
use crate::placement::Placement;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::time::Instant;

/// Everybody who takes part without being asked by name.
pub(super) fn all(problem: &Problem<'_>, baseline: &Score, request: &Request) -> Vec<Candidate> {
    let refine = request.refine;
    let regular = HEURISTICS
        .iter()
        .filter(|h| h.family() == Family::Regular)
        .map(|h| h.name());
    let regular: Vec<_> = regular.collect();
    let (first, rest): (Vec<_>, Vec<_>) = HEURISTICS
        .iter()
        .copied()
        .filter(|h| refine || h.name() != "block")
        .partition(|h| h.family() != Family::Irregular);
    let mut candidates = vec![as_launched(problem, baseline)];
    let too_large = |h: &dyn Heuristic| problem.graph.ranks() > h.affordable_ranks();
    candidates.par_extend(first.into_par_iter().map(|h| match too_large(h) {
        true => skipped(h, too_slow(h)),
        false => run(problem, h, refine),
    }));
    let solved = candidates
        .iter()
        .filter(|_| request.effort != Effort::Best)
        .find(|c| regular.contains(&c.heuristic) && c.outcome.is_ok())
        .map(|c| c.heuristic);
    candidates.par_extend(rest.into_par_iter().map(|h| match solved {
        Some(name) => skipped(h, not_needed(name)),
        None if too_large(h) => skipped(h, too_slow(h)),
        None => run(problem, h, refine),
    }));
    candidates
}

/// One heuristic the user named.
///
/// # Errors
/// [`Error::Flag`] with the heuristic's own reason if it is not applicable.
pub(super) fn alone(
    problem: &Problem<'_>,
    heuristic: &'static dyn Heuristic,
    refine: bool,
) -> Result<Candidate, Error> {
    let candidate = run(problem, heuristic, refine);
    match &candidate.outcome {
        Ok(_) => Ok(candidate),
        Err(reason) => Err(Error::Flag {
            flag: "--heuristic",
            value: heuristic.name().into(),
            problem: format!("not applicable here: {reason}; --heuristic auto picks one that is"),
        }),
    }
}

/// Index of the best candidate; the earlier one of equals.
///
/// Whatever the objective, nobody with more hop-bytes than block order wins, unless it ran alone.
pub(super) fn best(candidates: &[Candidate], objective: Objective, baseline: &Score) -> usize {
    let solved = candidates.iter().enumerate().filter_map(|(index, c)| {
        let score = &c.outcome.as_ref().ok()?.score;
        let eligible = candidates.len() == 1 || score.hop_bytes <= baseline.hop_bytes;
        eligible.then_some((index, score))
    });
    solved
        .min_by(|a, b| compare(objective, a.1, b.1).then(a.0.cmp(&b.0)))
        .map_or(0, |(index, _)| index)
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
fn as_launched(problem: &Problem<'_>, baseline: &Score) -> Candidate {
    Candidate {
        heuristic: "block",
        family: Family::Oblivious,
        outcome: Ok(Solution {
            placement: Placement::block(problem.graph.ranks()),
            score: baseline.clone(),
            construction: Diagnostics::default(),
            refinement: Vec::new(),
            seconds: 0.0,
        }),
    }
}

fn skipped(heuristic: &dyn Heuristic, reason: String) -> Candidate {
    Candidate {
        heuristic: heuristic.name(),
        family: heuristic.family(),
        outcome: Err(NotApplicable(reason)),
    }
}

fn not_needed(solved: &str) -> String {
    format!(
        "not needed: the ranks form a grid and {solved} places it (--effort best asks all the same)"
    )
}

fn too_slow(heuristic: &dyn Heuristic) -> String {
    format!(
        "not worth its time beyond {} ranks (--heuristic {} runs it all the same)",
        heuristic.affordable_ranks(),
        heuristic.name()
    )
}

fn run(problem: &Problem<'_>, heuristic: &dyn Heuristic, refine: bool) -> Candidate {
    Candidate {
        heuristic: heuristic.name(),
        family: heuristic.family(),
        outcome: solve(problem, heuristic, refine),
    }
}

fn solve(
    problem: &Problem<'_>,
    heuristic: &dyn Heuristic,
    refine: bool,
) -> Result<Solution, NotApplicable> {
    let start = Instant::now();
    let mut placed = heuristic.place(problem)?;
    let refinement = REFINEMENTS
        .iter()
        .filter(|_| refine)
        .map(|r| (r.name(), r.refine(problem, &mut placed.placement)))
        .collect();
    let seconds = start.elapsed().as_secs_f64();
    Ok(Solution {
        score: metric::score(problem.graph, problem.machine, &placed.placement),
        placement: placed.placement,
        construction: placed.diagnostics,
        refinement,
        seconds,
    })
}
