//! Robust tabu search with restarts from the best placement, for small worlds.
//!
//! With a hundred ranks, all exchanges of two ranks can be looked at before each move. The search
//! carries out the best of them, even if hop-bytes rise, and forbids both ranks to go back for a
//! while: so the search leaves a local optimum and does not fall back. When no better placement
//! turns up for a while, some ranks of the best one are moved round in a circle, and the search
//! goes on from there.
//!
//! ```text
//! hop-bytes
//!   \      /\        kick
//!    \/\  /  \   ______|
//!       \/    \_/      |\/\
//!       a      b          c        the walk climbs out of a; after b nothing better is found
//! ```
//!
//! Several such searches run side by side: the first from the best placement found so far, the
//! others from random ones. The best result of all is the candidate.
//!
//! Source: Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing
//! 17, 1991; restarts as in Misevicius, "An implementation of the iterated tabu search algorithm
//! for the quadratic assignment problem", OR Spectrum 34, 2012. Different: what an exchange saves
//! is read from a table of what every rank loses on the node of every other, and a rank may also
//! move to a free slot. Elements that have not moved for long are not forced to move, as kicks move
//! them.
//!
//! Cost: each step looks at all pairs of ranks and at all pairs of a rank and a free node, and
//! updates the table in O(partners of two ranks x ranks). Every search does a fixed number of
//! look-ups, or stops at the deadline.

mod board;
mod walk;

use board::{Board, Tables};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rankfold_machine::Machine;
use rankfold_problem::heuristic::{
    AboutRefinement, Diagnostics, Effort, Problem, Reached, Refinement, Start,
};
use rankfold_problem::team::dealt;
use rankfold_problem::weights::Weights;
use std::time::Instant;
use walk::{Found, Iterated};

/// With more ranks than this, anneals find better placements in the same time. Measured with a
/// prototype of both, from random starts, 1 to 2 CPU seconds, parts of irregular graphs on tori: at
/// 64 ranks 0.4 to 1.8 % better than anneals on all exchanges, at 256 ranks 4 to 8 % worse. The
/// limit between the two is chosen by hand.
const MOST_RANKS: usize = 160;

/// With more usable nodes than this, moves to free nodes take too long.
const MOST_NODES: usize = 512;

/// The number of searches side by side.
const LINES: usize = 4;

/// Iterated tabu search from the best placement and from random ones.
#[derive(Debug)]
pub(crate) struct Tabu;

/// Whether the search is worth its time.
pub fn suits_tabu(problem: &Problem<'_>) -> bool {
    problem.effort >= Effort::Balanced
        && problem.graph.ranks() <= MOST_RANKS
        && usable_nodes(problem.machine) <= MOST_NODES
}

fn usable_nodes(machine: &Machine) -> usize {
    let slots = machine.slots();
    slots.len().min(slots.nodes())
}

/// The look-ups of each search for each triple of ranks, and the most look-ups. Measured when the
/// search was added, effort balanced: the whole command takes 0.2 CPU seconds for ste36a of QAPLIB,
/// 0.9 to 1.0 for worlds of 64 ranks, 2.0 for 100 and 150 ranks.
const BALANCED: (u64, u64) = (340, 200_000_000);
const BEST: (u64, u64) = (12_000, 6_000_000_000);

/// Where anneals on the exact routes decide, the search is shorter by this factor, since its result
/// is only one of their starts. Measured when the search was added, 12 worlds of 27 to 64 ranks,
/// objective time: the whole search lowers predicted time by 0.8 % and takes nearly 7 times as long
/// as all the rest.
const FOR_STARTS: u64 = 8;

fn look_ups(problem: &Problem<'_>) -> u64 {
    let ranks = problem.graph.ranks() as u64;
    let (each, most) = match problem.effort {
        Effort::Best => BEST,
        _ => BALANCED,
    };
    let all = (each * ranks.pow(3)).min(most);
    if problem.objective.is_decided_by_anneals() {
        all / FOR_STARTS
    } else {
        all
    }
}

impl Refinement for Tabu {
    fn about(&self) -> &AboutRefinement {
        const ABOUT: AboutRefinement = AboutRefinement::new(
            "tabu",
            "small worlds: tabu search over all exchanges (Taillard 1991), with kicks (Misevicius 2012)",
        )
        .at_least(Effort::Balanced)
        .from_the_best();
        &ABOUT
    }

    fn search_on(&self, problem: &Problem<'_>, starts: &[Start<'_>]) -> Vec<Reached> {
        let best = (0..starts.len()).min_by_key(|&start| starts[start].hop_bytes);
        let Some(start) = best.filter(|_| suits_tabu(problem)) else {
            return Vec::new();
        };
        let bound = problem.quick_lower_bound();
        if starts[start].hop_bytes <= bound {
            return Vec::new();
        }
        searched(problem, start, &starts[start])
            .into_iter()
            .collect()
    }
}

/// The best placement of all searches; `None` if no search finds fewer hop-bytes than the start
/// has.
fn searched(problem: &Problem<'_>, index: usize, start: &Start<'_>) -> Option<Reached> {
    let begun = Instant::now();
    let slots = problem.machine.slots();
    let weights = Weights::new(problem.affinity, problem.machine.topology().diameter());
    let tables = Tables::new(&weights, problem.machine, problem.constraints);
    let deadline = if problem.objective.is_decided_by_anneals() {
        problem.half_way()
    } else {
        problem.deadline
    };
    let found: Vec<Found> = dealt(problem.team, LINES, |line| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(problem.seed ^ line as u64);
        let mut board = Board::new(&tables, &start.placement.nodes(slots));
        if line > 0 {
            board.shuffle(&mut random);
        }
        Iterated::new(board, random, look_ups(problem), deadline).run()
    });
    let steps = found.iter().map(|found| found.steps).sum();
    let kicks = found.iter().map(|found| found.kicks).sum();
    let best = found.into_iter().min_by_key(|found| found.cost)?;
    let placement = start.placement.moved_to(&tables.nodes(&best.seats), slots);
    let hop_bytes = problem.hop_bytes(&placement);
    (hop_bytes < start.hop_bytes).then(|| Reached {
        start: index,
        placement,
        did: vec![Diagnostics {
            passes: kicks,
            moves: steps,
            history: vec![start.hop_bytes, hop_bytes],
            notes: Vec::new(),
        }],
        seconds: begun.elapsed().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests;
