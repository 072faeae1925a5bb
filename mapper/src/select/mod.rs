//! Which heuristics run, how their placements are refined and scored, and which one wins.
//!
//! Block order as it is always takes part, first. Then the oblivious and the regular family run, refined;
//! the irregular family follows unless a regular heuristic found a placement and [`Effort::Best`] was not
//! asked for. Heuristics not worth their time for the number of ranks only run by name. The best by objective wins among
//! those whose hop-bytes do not exceed block order's, the earlier one of equals.

mod explain;
mod portfolio;

use crate::comm::CommGraph;
use crate::error::Error;
use crate::heuristic::{Diagnostics, Family, Heuristic, NotApplicable, Problem, Refinement};
use crate::machine::Machine;
use crate::metric::{self, Score};
use crate::pattern::{self, Pattern};
use crate::placement::Placement;
use crate::{irregular, refine, regular};
pub use explain::{Explanation, Verdict};

/// Every heuristic there is, in the order they run; ties go to the earlier one.
pub const HEURISTICS: &[&dyn Heuristic] = &[
    &regular::Block,
    &regular::Gray,
    &regular::Reshape,
    &regular::Tiles,
    &regular::MXOVLP,
    &regular::MXOV_AL,
    &regular::EXCO,
    &regular::COCE,
    &regular::AFFN,
    &regular::STEP,
    &regular::PAIRS,
    &regular::STACKING,
    &regular::FOLDING,
    &regular::Hilbert,
    &irregular::Rcm,
    &irregular::LtmGreedy,
    &irregular::Spectral,
];

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
    /// The families the pattern suggests.
    Fast,
    /// As fast, until there are searches worth more time.
    #[default]
    Balanced,
    /// Every heuristic, the irregular ones on a grid too.
    Best,
}

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// One heuristic by name, or the whole portfolio (`None` or `auto`).
    pub heuristic: Option<String>,
    /// What to minimise.
    pub objective: Objective,
    /// How long to search.
    pub effort: Effort,
    /// Seed of every random choice.
    pub seed: u64,
    /// Whether placements are refined; without it a heuristic shows what it does alone.
    pub refine: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            heuristic: None,
            objective: Objective::default(),
            effort: Effort::default(),
            seed: 0,
            refine: true,
        }
    }
}

/// One member of the portfolio and how it fared.
#[derive(Debug)]
pub struct Candidate {
    /// Name of the heuristic.
    pub heuristic: &'static str,
    /// Its family.
    pub family: Family,
    /// The placement, refined or not, or why there is none.
    pub outcome: Result<Solution, NotApplicable>,
}

/// A scored placement.
#[derive(Debug)]
pub struct Solution {
    /// Rank -> slot.
    pub placement: Placement,
    /// All its metrics.
    pub score: Score,
    /// What the heuristic did.
    pub construction: Diagnostics,
    /// What each refinement did, by name; empty for a placement left as constructed.
    pub refinement: Vec<(&'static str, Diagnostics)>,
    /// Wall-clock seconds for construction and refinement.
    pub seconds: f64,
}

/// The portfolio's result.
#[derive(Debug)]
pub struct Selection {
    /// What the analyser saw.
    pub pattern: Pattern,
    /// What was minimised.
    pub objective: Objective,
    /// Everybody asked: block order as it is, then the order of [`HEURISTICS`].
    pub candidates: Vec<Candidate>,
    /// Index of the winner among [`candidates`](Self::candidates).
    pub best: usize,
    /// Block order: what the launcher would have done.
    pub baseline: Score,
    /// No placement has fewer hop-bytes than this (certified).
    pub lower_bound: u128,
}

impl Solution {
    /// The refinements that moved a rank, in the order they ran.
    #[must_use]
    pub fn refined_by(&self) -> Vec<&'static str> {
        let moved = self.refinement.iter().filter(|(_, did)| did.moves > 0);
        moved.map(|(name, _)| *name).collect()
    }
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
/// A heuristic asked for by name runs alone and is returned whatever it achieves.
///
/// # Errors
/// [`Error`]: the ranks do not fit, or the heuristic asked for is unknown or not applicable.
pub fn select(graph: &CommGraph, machine: &Machine, request: &Request) -> Result<Selection, Error> {
    let named = request.heuristic.as_deref().filter(|&n| n != "auto");
    let named = named.map(heuristic_named).transpose()?;
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
    let candidates = match named {
        Some(heuristic) => vec![portfolio::alone(&problem, heuristic, request.refine)?],
        None => portfolio::all(&problem, &baseline, request),
    };
    Ok(Selection {
        objective: request.objective,
        best: portfolio::best(&candidates, request.objective, &baseline),
        candidates,
        baseline,
        lower_bound: metric::lower_bound(graph, machine).hop_bytes,
        pattern,
    })
}

fn heuristic_named(name: &str) -> Result<&'static dyn Heuristic, Error> {
    let found = HEURISTICS.iter().find(|h| h.name() == name);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = HEURISTICS.iter().map(|h| h.name()).collect();
        Error::Flag {
            flag: "--heuristic",
            value: name.into(),
            problem: format!("no such heuristic; known are auto, {}", known.join(", ")),
        }
    })
}

#[cfg(test)]
mod tests;
