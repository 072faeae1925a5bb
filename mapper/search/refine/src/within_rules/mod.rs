//! Exchanges of ranks that users have constrained.
//!
//! The other refinements move ranks one at a time, and leave those alone that stay, share a host or
//! do not. This one knows the constraints: ranks that share a host go to another host together, for
//! as many ranks that come back, no two ranks apart meet, and no more ranks leave the placement to
//! begin from than may. Its exchanges are taken or not at a falling temperature, by hop-bytes; each
//! walk ends with exchanges that only lower them.
//!
//! Source: our own. The rule by which rises are accepted is Metropolis et al. 1953.
//!
//! Cost: a fixed number of exchanges for each rank, each O(partners of the movers).

mod moves;
mod walk;

use rankfold_base::Placement;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Effort, Problem, Reached, Refinement, Start,
};
use rankfold_problem::team::dealt;
use std::time::Instant;
use walk::{Schedule, Walk};

/// The number of walks.
const WALKS: usize = 4;

/// With at most this many ranks, walks begin hot enough to forget where they began.
const FEW_RANKS: usize = 512;

/// Exchanges tried for each rank, for fewer ranks than [`LEAST_RANKS`] as for so many, and the most
/// edges looked up by a walk.
fn work(effort: Effort) -> (u64, u64) {
    match effort {
        Effort::Hurried => (100, 5_000_000),
        Effort::Fast => (400, 20_000_000),
        Effort::Balanced => (2000, 200_000_000),
        Effort::Best => (20_000, 2_000_000_000),
    }
}
const LEAST_RANKS: usize = 32;

/// Exchanges within the constraints.
#[derive(Debug)]
pub(crate) struct WithinRules;

impl Refinement for WithinRules {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "within-rules",
            "exchanges ranks that --together, --apart or --start constrain, at a falling temperature",
        )
        .from_the_best()
        .counting_moves();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        if !problem.constraints.has_groups() && problem.constraints.start().is_none() {
            return Vec::new();
        }
        let mut best: Vec<usize> = (0..starts.len()).collect();
        best.sort_by_key(|&start| starts[start].hop_bytes);
        best.dedup_by_key(|start| starts[*start].hop_bytes);
        best.truncate(WALKS);
        if best.is_empty() {
            return Vec::new();
        }
        let deadline = problem.part_way(WALKS as u32);
        let ranks = problem.graph.ranks();
        let (each, lookups) = work(problem.effort);
        let reached = dealt(problem.team, WALKS, |number| {
            let begun = Instant::now();
            let start = best[number % best.len()];
            let schedule = Schedule {
                is_hot: number > 0 && ranks <= FEW_RANKS,
                moves: each * ranks.max(LEAST_RANKS) as u64,
                lookups,
                deadline,
            };
            let mut placement = starts[start].placement.clone();
            let seed = problem.seed ^ (number as u64 + 1) << 48;
            let moved = Walk::new(problem, &mut placement, seed).run(schedule);
            let before = starts[start].hop_bytes;
            let after = problem.hop_bytes(&placement);
            (after < before).then(|| Reached {
                start,
                did: vec![Diagnostics {
                    passes: 1,
                    moves: moved,
                    history: vec![before, after],
                    notes: Vec::new(),
                }],
                placement,
                seconds: begun.elapsed().as_secs_f64(),
            })
        });
        let mut all: Vec<Reached> = reached.into_iter().flatten().collect();
        let mut seen: Vec<Placement> = Vec::new();
        all.retain(|reached| {
            let is_new = !seen.contains(&reached.placement);
            seen.push(reached.placement.clone());
            is_new
        });
        all
    }
}
