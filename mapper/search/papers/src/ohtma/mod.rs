//! `ohtma`: the optimized heuristic topology-aware mapping algorithm for the Tianhe-3 prototype
//! (2021).
//!
//! A greedy start ([`greedy`], Algorithm 1, lines 1-19, section 4.3) gives the process with the
//! most communication the slot with the fewest hops to all others, again and again. Then pairs of
//! processes are exchanged, the best pair first even if it costs hop-bytes, and both processes of a
//! pair are locked ([`exchange`], lines 20-36). Finally all exchanges after the lowest sum are
//! undone.
//!
//! ```text
//! hop-bytes 100 -> 92 -> 95 -> 88 -> 90 -> 97     after each exchange
//!                               ^ the first three exchanges are kept
//! ```
//!
//! What differs from the listing: the saving of an exchange leaves out the bytes between the two
//! processes, whose distance does not change. Line 26 counts them as saved, and so does
//! `ohtma:cost=listing`. In both, the saving counts both directions; both processes of an
//! exchanged pair are locked; the prefix kept may be empty. A processor of the paper is a slot
//! here, and slots of one node are 0 hops apart. The number of exchanges tried ("loop") is the
//! user's ([`Problem::loops`]), or half the number of processes as in section 5.2.
//!
//! Cost: O(n^2) for the start with n ranks. The exchanges need O(n N) memory with N nodes, and
//! O(d (n + N)) time each for processes with d partners.

mod exchange;
mod greedy;

use exchange::{Counting, PairExchange};
use rankfold_base::Placement;
use rankfold_problem::heuristic::{
    About, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_problem::member_options::{MemberOption, OptionKind};
use rankfold_refine::fits_i64;

/// Most ranks for which the heuristic takes part without being asked for by name. The table of
/// every rank's cost on every node grows with the square of their number; the limit was not
/// measured.
const AFFORDABLE_RANKS: usize = 1024;

/// The heuristic `ohtma`.
#[derive(Debug)]
pub(crate) struct Ohtma;

const OPTIONS: &[MemberOption] = &[MemberOption {
    name: "cost",
    summary: "what an exchange saves [default: exact; listing: as line 26, with the bytes between the two]",
    kind: OptionKind::Word(&["exact", "listing"]),
}];

impl Heuristic for Ohtma {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "ohtma",
            Family::Irregular,
            "ranks with the most communication to central slots, then pair exchanges up to the best result (OHTMA 2021)",
        )
        .up_to(AFFORDABLE_RANKS)
        .at_least(Effort::Best)
        .repeating("exchanges tried; half the ranks")
        .with_options(OPTIONS);
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let mut placement = greedy::place(problem);
        let half = problem.graph.ranks() as u64 / 2;
        let loops = problem.loops.unwrap_or(half);
        let counting = match problem.options.word("cost") {
            Some("listing") => Counting::Listing,
            _ => Counting::Exact,
        };
        let diagnostics = if fits_i64(problem.affinity, problem.machine.topology()) {
            PairExchange::<i64>::new(problem, &placement, counting).run(loops, &mut placement)
        } else {
            PairExchange::<i128>::new(problem, &placement, counting).run(loops, &mut placement)
        };
        Ok(Placed {
            placement,
            diagnostics,
        })
    }
}

#[cfg(test)]
mod tests;
