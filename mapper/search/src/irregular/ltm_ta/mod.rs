//! Threshold accepting of LibTopoMap (Hoefler and Snir, ICS 2011, section 3.4) on the paper's own estimate of
//! congestion (Algorithm 3).
//!
//! Random exchanges are kept if they raise the estimate by less than a threshold, which falls to 0. The paper
//! spends as long as the user allows; here it is a fixed number of routed messages, so that the result does
//! not depend on the clock. The start is the paper's greedy mapping.

use super::ltm_greedy::LtmGreedy;
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_model::ids::Rank;
use rankfold_model::metric::Estimate;
use rankfold_model::placement::Placement;

/// Exchanges tried at each threshold: the paper's inner iterations.
const INNER: usize = 20;

/// Thresholds: the first is [`FIRST`] of the start's congestion, each next one [`COOLING`] of the last.
const OUTER: usize = 100;
/// See [`OUTER`].
const FIRST: f64 = 0.05;
/// See [`OUTER`].
const COOLING: f64 = 0.95;

/// Messages routed in all exchanges: a few seconds. At least one exchange is tried at each threshold.
const ROUTED: usize = 1 << 19;

/// Ranks up to which it takes seconds at most.
const AFFORDABLE_RANKS: usize = 512;

/// Greedy mapping, then threshold accepting.
#[derive(Debug)]
pub(crate) struct LtmTa;

impl Heuristic for LtmTa {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ltm-ta",
            Family::Irregular,
            "ltm-greedy, then random exchanges below a falling threshold of congestion (Hoefler and Snir 2011, 3.4)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let start = LtmGreedy.place(problem)?.placement;
        let estimate = Estimate::new(problem.graph, problem.machine.topology());
        Ok(accept(problem, estimate, start))
    }
}

/// Exchanges ranks of `placement`; the best placement met on the way.
fn accept(problem: &Problem<'_>, mut estimate: Estimate, mut placement: Placement) -> Placed {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(problem.seed);
    let mut nodes = placement.nodes(problem.machine.slots());
    let first = estimate.congestion(&nodes);
    let (mut now, mut lowest, mut best) = (first, first, placement.clone());
    let (mut threshold, mut tried, mut kept) = (FIRST * first, 0, 0);
    let affordable = ROUTED / OUTER / problem.graph.pairs().max(1);
    for _ in 0..OUTER {
        for _ in 0..INNER.min(affordable.max(1)) {
            let [a, b] = [(); 2].map(|()| random.random_range(0..nodes.len()));
            if nodes[a] == nodes[b] {
                continue;
            }
            tried += 1;
            nodes.swap(a, b);
            let after = estimate.congestion(&nodes);
            if after > now && after >= now + threshold {
                nodes.swap(a, b);
                continue;
            }
            kept += 1;
            now = after;
            placement.swap(Rank::at(a), Rank::at(b));
            if now < lowest {
                (lowest, best) = (now, placement.clone());
            }
        }
        threshold *= COOLING;
    }
    Placed {
        placement: best,
        diagnostics: Diagnostics {
            passes: OUTER as u32,
            moves: kept,
            notes: vec![format!(
                "estimated congestion {first} before, {lowest} after {kept} of {tried} exchanges"
            )],
            ..Diagnostics::default()
        },
    }
}

#[cfg(test)]
mod tests;
