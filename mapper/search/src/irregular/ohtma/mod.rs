//! OHTMA, the optimized heuristic topology-aware mapping algorithm for the Tianhe-3 prototype
//! (2021).
//!
//! Two parts, both of section 4.3, Algorithm 1: a greedy start ([`greedy`], lines 1-19) and pair
//! exchange with backtracking to the best prefix ([`exchange`], lines 20-36). A processor of the
//! paper is a slot here: slots of one node are 0 hops apart.
//!
//! The listing's slips, settled: the saving of an exchange leaves out the pair's own bytes, whose
//! distance does not change, and counts both directions; both processes of an exchanged pair are
//! locked; the prefix kept may be empty. The number of exchanges tried, "loop", is the user's
//! ([`Problem::loops`]), or half the number of processes as in section 5.2.

mod exchange;
mod greedy;

use crate::heuristic::{About, Effort, Family, Heuristic, NotApplicable, Placed, Problem};
use crate::refine::fits_i64;
use exchange::PairExchange;
use rankfold_model::placement::Placement;

/// Ranks up to which the table of every rank's cost on every node is worth its time.
const AFFORDABLE_RANKS: usize = 1024;

/// Greedy start and best-prefix pair exchange.
#[derive(Debug)]
pub(crate) struct Ohtma;

impl Heuristic for Ohtma {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ohtma",
            Family::Irregular,
            "talkative ranks to central slots, then pair exchange kept up to its best moment (OHTMA 2021)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .repeating("exchanges tried; half the ranks");
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let mut placement = greedy::place(problem);
        let half = problem.graph.ranks() as u64 / 2;
        let loops = problem.loops.unwrap_or(half);
        let diagnostics = if fits_i64(problem.affinity, problem.machine.topology()) {
            PairExchange::<i64>::new(problem, &placement).run(loops, &mut placement)
        } else {
            PairExchange::<i128>::new(problem, &placement).run(loops, &mut placement)
        };
        Ok(Placed {
            placement,
            diagnostics,
        })
    }
}

#[cfg(test)]
mod tests;
