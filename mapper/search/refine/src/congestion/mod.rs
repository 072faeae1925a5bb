//! Descents on the exact routes, for objectives other than hop-bytes.
//!
//! A descent exchanges two ranks, or all ranks of two nodes, while that lowers what the objective
//! [asks for](rankfold_problem::objective::DescentAim). Exchanges start at ranks whose messages
//! cross a channel near the highest congestion, and go next to the rank itself or next to a
//! partner: within a leaf switch, an exchange changes no distance and yet moves messages to other
//! cables. Since hardly any single exchange changes the highest congestion, the sum over channels
//! of (congestion)^p stands in for it, p rising from 8 to 32.
//!
//! ```text
//! leaf switch 0 has nodes 0 1 2, leaf switch 1 has nodes 3 4 5
//! two up ports a switch; the route to node d takes port d mod 2
//!
//! messages          port 0    port 1     hops
//! 0 -> 3, 1 -> 5              3, 5       4 + 4
//! ranks 4 and 5 exchanged:
//! 0 -> 3, 1 -> 4    4         3          4 + 4     half the highest congestion
//! ```
//!
//! Each descent gets stuck at another point. Several descents run, from different starts and with
//! different seeds, and each result is a candidate.
//!
//! Source: our own. The sum of powers is the usual smooth stand-in for a maximum; the rule by which
//! small rises are accepted is Metropolis et al. 1953 at one low temperature.
//!
//! Cost: each descent passes a fixed number of channels. An exchange passes those on the routes of
//! the movers' messages, before and after it.

mod search;

use super::time::anneals_decide;
use rankfold_base::Placement;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Effort, Problem, Reached, Refinement, Start,
};
use rankfold_problem::team::dealt;
use search::{Descended, descend};
use std::time::Instant;

/// The most channels that each descent passes for every pair of ranks with traffic: graphs of few
/// pairs need no more.
const WORK_A_PAIR: u64 = 20_000;

/// Descents pay at most the fewest hop-bytes / `PAYS` beyond the fewest, whatever the objective
/// allows.
const PAYS: u128 = 10;

/// Descents from the placements with the fewest hop-bytes.
#[derive(Debug)]
pub(crate) struct Descent;

/// The work of the descents. Measured for starts of anneals, when one short descent replaced two
/// anneals and a third: 14 public cases, 256 KiB, predicted time 0.982 x in the geometric mean at
/// 0.67 x the CPU time. Measured when effort balanced got a second short descent, predicted time
/// over that with one, 12 cases of `scripts/bench irregular --floor`: two descents 0.992 x in the
/// geometric mean (0.88 to 1.03) at 1.06 x the CPU time, three descents 0.987 x at 1.11 x. On 22
/// graphs of `scripts/bench time`, 64 to 256 ranks, two and three are as good as one. The numbers
/// themselves are chosen by hand.
#[derive(Clone, Copy, Debug)]
struct Budget {
    /// The number of descents.
    descents: usize,
    /// The number of channels that each descent passes.
    work: u64,
}

impl Budget {
    /// With `starts_only`, the descents only have to find further starts for anneals.
    fn of(effort: Effort, starts_only: bool) -> Self {
        let (descents, work) = match (effort, starts_only) {
            (Effort::Hurried | Effort::Fast, true) => (1, 1_000_000),
            (Effort::Balanced, true) => (2, 2_000_000),
            (Effort::Best, true) => (4, 25_000_000),
            (Effort::Hurried | Effort::Fast, false) => (2, 5_000_000),
            (Effort::Balanced, false) => (4, 25_000_000),
            (Effort::Best, false) => (8, 200_000_000),
        };
        Self { descents, work }
    }
}

impl Refinement for Descent {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "descent",
            "exchanges ranks on the exact routes while that lowers congestion, or the hybrid metric",
        )
        .from_the_best();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        let starts_only = problem.objective.is_decided_by_anneals();
        let aim = problem.objective.descent(problem.graph, problem.machine);
        let fewest = starts.iter().map(|start| start.hop_bytes).min();
        let (Some(aim), Some(fewest)) = (aim, fewest) else {
            return Vec::new();
        };
        if starts_only && !anneals_decide(problem) {
            return Vec::new();
        }
        let most = fewest.saturating_add(fewest / PAYS);
        let limit = problem
            .objective
            .most_hop_bytes(fewest)
            .min(most)
            .max(fewest);
        let budget = Budget::of(problem.effort, starts_only);
        let work = budget.work.min(WORK_A_PAIR * problem.graph.pairs() as u64);
        let mut allowed: Vec<usize> = (0..starts.len())
            .filter(|&start| starts[start].hop_bytes <= limit)
            .collect();
        allowed.sort_by_key(|&start| starts[start].hop_bytes);
        allowed.dedup_by_key(|start| starts[*start].hop_bytes);
        let reached = dealt(problem.team, budget.descents, |number| {
            let begun = Instant::now();
            let seed = problem.seed ^ (number as u64 + 1) << 40;
            let start = allowed[number % allowed.len()];
            let placement = starts[start].placement;
            let found = descend(problem, placement, &*aim, limit, work, seed)?;
            Some(Reached {
                start,
                did: vec![diagnostics(problem, placement, &found)],
                placement: found.placement,
                seconds: begun.elapsed().as_secs_f64(),
            })
        });
        reached.into_iter().flatten().collect()
    }
}

fn diagnostics(problem: &Problem<'_>, start: &Placement, found: &Descended) -> Diagnostics {
    Diagnostics {
        passes: 1,
        moves: found.accepted,
        history: [start, &found.placement]
            .map(|it| problem.hop_bytes(it))
            .to_vec(),
        notes: vec![format!(
            "{} of {} exchanges taken",
            found.accepted, found.proposed
        )],
    }
}
