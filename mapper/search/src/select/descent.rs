//! Objectives other than hop-bytes: descents from the placements with the fewest hop-bytes.
//!
//! Descents get stuck, each elsewhere: several from different starts and seeds cost little and the
//! best of them is taken. The objective says what they lower and how many hop-bytes they may pay
//! for it.

use super::annealing::affordable;
use super::run::{Continued, Run};
use crate::heuristic::{Diagnostics, Effort, Problem};
use crate::objective::Anneal;
use crate::refine::congestion::{Descent, descend};
use crate::team::dealt;
use rankfold_model::metric;
use rankfold_model::placement::Placement;
use std::time::Instant;

/// What a descent is called among the refinements.
pub(super) const DESCENT: &str = "descent";

/// Channels each descent may pass for every pair of ranks with traffic: enough for few pairs.
const WORK_A_PAIR: u64 = 20_000;

/// One in so many hop-bytes is the most that descents pay, whatever the objective allows.
const PAYS: u128 = 10;

/// How much the descents may try.
#[derive(Clone, Copy, Debug)]
struct Params {
    descents: usize,
    /// Channels that each descent may pass.
    work: u64,
}

impl Params {
    /// `starts_only`: the descents only have to find other starts for anneals.
    fn of(effort: Effort, starts_only: bool) -> Self {
        let (descents, work) = match (effort, starts_only) {
            (Effort::Hurried | Effort::Fast, true) => (1, 1_000_000),
            (Effort::Balanced, true) => (1, 2_000_000),
            (Effort::Best, true) => (4, 25_000_000),
            (Effort::Hurried | Effort::Fast, false) => (2, 5_000_000),
            (Effort::Balanced, false) => (4, 25_000_000),
            (Effort::Best, false) => (8, 200_000_000),
        };
        Self { descents, work }
    }
}

/// Descents from the best of `runs`, as runs of their own; none if the objective has no aim for
/// them.
pub(super) fn descents(problem: &Problem<'_>, runs: &[Run]) -> Vec<Run> {
    let Some(aim) = problem.objective.aim(problem.graph) else {
        return Vec::new();
    };
    let starts_only = matches!(
        problem.objective.anneal(problem.graph),
        Some(Anneal::Time(_))
    );
    if starts_only && affordable(problem).is_none() {
        return Vec::new();
    }
    let Some(fewest) = runs.iter().filter_map(Run::hop_bytes).min() else {
        return Vec::new();
    };
    let most = fewest.saturating_add(fewest / PAYS);
    let limit = problem.objective.most_hop_bytes(fewest).min(most);
    let params = Params::of(problem.effort, starts_only);
    let work = params.work.min(WORK_A_PAIR * problem.graph.pairs() as u64);
    let mut starts: Vec<&Run> = runs
        .iter()
        .filter(|run| run.hop_bytes().is_some_and(|found| found <= limit))
        .collect();
    starts.sort_by_key(|run| run.hop_bytes());
    starts.dedup_by_key(|run| run.hop_bytes());
    let alone = problem.by_itself();
    let start = |number: usize| starts[number % starts.len()];
    let found = dealt(
        problem.team,
        params.descents,
        |number| -> Option<Continued> {
            let begun = Instant::now();
            let seed = problem.seed ^ (number as u64 + 1) << 40;
            let placement = start(number).placement()?;
            let found = descend(&alone, placement, aim, limit, work, seed)?;
            let did = diagnostics(problem, placement, &found);
            Some((found.placement, did, begun.elapsed().as_secs_f64()))
        },
    );
    let found = found.into_iter().enumerate();
    found
        .filter_map(|(number, found)| start(number).continued(problem, DESCENT, found?))
        .collect()
}

fn diagnostics(problem: &Problem<'_>, start: &Placement, found: &Descent) -> Diagnostics {
    let hop_bytes = |placement: &Placement| {
        let nodes = placement.nodes(problem.machine.slots());
        metric::hop_bytes(problem.graph, problem.machine.topology(), &nodes)
    };
    Diagnostics {
        passes: 1,
        moves: found.accepted,
        history: vec![hop_bytes(start), hop_bytes(&found.placement)],
        notes: vec![format!(
            "{} of {} exchanges taken",
            found.accepted, found.proposed
        )],
    }
}
