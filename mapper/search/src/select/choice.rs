//! Which candidate wins.

use super::outcome::{Candidate, Solution};
use rankfold_metric::Score;
use rankfold_problem::objective::Objective;
use std::cmp::Ordering;

/// The indices of the candidates that may win, the one with the lowest value first, the earlier one
/// of equals before the later.
///
/// A candidate with more hop-bytes than [`most_hop_bytes`] wins only if it is the only candidate.
pub(super) fn ranked(
    candidates: &[Candidate],
    objective: &dyn Objective,
    stay: &Score,
) -> Vec<usize> {
    let most = most_hop_bytes(candidates, objective, stay);
    let solved = candidates.iter().enumerate().filter_map(|(index, c)| {
        let solution = c.outcome.as_ref().ok()?;
        let eligible = candidates.len() == 1 || solution.score().hop_bytes <= most;
        eligible.then_some((index, solution))
    });
    let mut ranked: Vec<(usize, &Solution)> = solved.collect();
    ranked.sort_by(|a, b| compare(a.1, b.1).then(a.0.cmp(&b.0)));
    ranked.into_iter().map(|(index, _)| index).collect()
}

/// Whether a value saves too little against block order's value to be worth a change.
pub(super) fn too_little(value: f64, block: f64, objective: &dyn Objective) -> bool {
    let least = objective.least_saving();
    least > 0.0 && value >= (1.0 - least) * block
}

/// The most hop-bytes of a winner: block order's, or as many as the objective allows if that is
/// more.
pub(super) fn most_hop_bytes(
    candidates: &[Candidate],
    objective: &dyn Objective,
    stay: &Score,
) -> u128 {
    let solved = candidates.iter().filter_map(|c| c.outcome.as_ref().ok());
    let fewest = solved.map(|solution| solution.score().hop_bytes).min();
    let allowed = fewest.map_or(0, |fewest| objective.most_hop_bytes(fewest));
    allowed.max(stay.hop_bytes)
}

/// The index of the best candidate by the objective, whatever its hop-bytes, or of the first if
/// none has a placement.
pub(super) fn best_of(candidates: &[Candidate]) -> usize {
    let better = |a: usize, b: usize| match (&candidates[a].outcome, &candidates[b].outcome) {
        (Ok(x), Ok(y)) if compare(y, x).is_lt() => b,
        _ => a,
    };
    let best = (0..candidates.len()).reduce(better);
    best.expect("a heuristic ran")
}

/// Compares by the objective's value; hop-bytes, then congestion, decide between equals. Finalists
/// come before all others.
pub(super) fn compare(a: &Solution, b: &Solution) -> Ordering {
    let congestion = |solution: &Solution| solution.score().max_congestion;
    b.is_finalist
        .cmp(&a.is_finalist)
        .then(a.value.total_cmp(&b.value))
        .then(a.score().hop_bytes.cmp(&b.score().hop_bytes))
        .then(congestion(a).total_cmp(&congestion(b)))
}
