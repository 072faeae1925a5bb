//! Which heuristics run, how their placements are refined and scored, and which one wins.
//!
//! Block order as it is always takes part, first. Then the oblivious and the regular family run; the
//! irregular family follows unless, on a mesh or torus, a regular heuristic found a placement and
//! [`Effort::Best`] was not asked for. Heuristics made for another kind of machine only run at that effort,
//! heuristics too slow for the number of ranks only by name. Constructions that may still win are refined.
//! For another objective than hop-bytes, descents follow. The best by objective wins among those whose
//! hop-bytes do not exceed block order's, or the fewest by a tenth for another objective, the earlier one of
//! equals.

mod descent;
mod error;
mod explain;
mod portfolio;

use crate::heuristic::{Diagnostics, Family, Heuristic, NotApplicable, Problem, Refinement};
pub use crate::heuristic::{Effort, Objective};
use crate::{irregular, refine, regular};
pub use error::SelectError;
pub use explain::{Explanation, Verdict};
use rankfold_model::comm::CommGraph;
use rankfold_model::machine::Machine;
use rankfold_model::metric::{self, CongestionBound, Score};
use rankfold_model::pattern::{self, Pattern};
use rankfold_model::placement::Placement;
use rankfold_model::renumbered::Renumbered;
use std::time::{Duration, Instant};

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
    &irregular::LtmRecursive,
    &irregular::LtmTa,
    &irregular::Analytical,
    &irregular::AnalyticalBft,
    &irregular::Ohtma,
    &irregular::Ptram,
    &irregular::PtramFixed,
    &irregular::Spectral,
    &irregular::SpectralPlane {
        folded_by: &[&regular::Gray, &regular::FOLDING],
    },
    &irregular::Multisection,
];

/// Every refinement there is, in the order they run.
pub const REFINEMENTS: &[&dyn Refinement] = &[
    &refine::Swap,
    &refine::Chain,
    &refine::Subtree,
    &refine::Anneal,
    &refine::Inside,
];

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
    /// Searches that can go on do so until this much time has passed since the start: the result then depends
    /// on the machine's speed. Without it they do a fixed amount of work.
    pub time: Option<Duration>,
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
            time: None,
            refine: true,
        }
    }
}

impl Request {
    /// Whoever gives time wants it used, and only annealing can.
    fn least_effort(&self) -> Effort {
        match self.time {
            Some(_) => self.effort.max(Effort::Balanced),
            None => self.effort,
        }
    }
}

/// What the selection is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Looking for a pattern.
    Analysing,
    /// The heuristic of this name is placing ranks.
    Constructing(&'static str),
    /// The placement of the first is being improved by the second.
    Refining(&'static str, &'static str),
    /// Computing every metric.
    Scoring,
}

/// Told of every step as it begins, from any thread.
pub type Watch<'a> = &'a (dyn Fn(Progress) + Sync);

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
    /// No placement has a lower highest congestion than this (certified).
    pub congestion_bound: CongestionBound,
    /// Wall-clock time from the graph in memory to the last placement; metrics and bounds come after it.
    pub search: Duration,
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
/// [`SelectError`]: the ranks do not fit, or the heuristic asked for is unknown or not applicable.
pub fn select(
    graph: &CommGraph,
    machine: &Machine,
    request: &Request,
) -> Result<Selection, SelectError> {
    select_watched(graph, machine, request, &|_| ())
}

/// [`select`], telling `watch` what it is at.
///
/// # Errors
/// Those of [`select`].
pub fn select_watched(
    graph: &CommGraph,
    machine: &Machine,
    request: &Request,
    watch: Watch<'_>,
) -> Result<Selection, SelectError> {
    let start = Instant::now();
    let named = request.heuristic.as_deref().filter(|&n| n != "auto");
    let named = named.map(heuristic_named).transpose()?;
    machine.check_fits(graph.ranks())?;
    watch(Progress::Analysing);
    let renumbered = Renumbered::if_scattered(graph);
    let pattern = pattern::analyze_renumbered(&renumbered);
    // Grids are placed by their own numbers, and on switched machines numbers that mean something are a good start.
    let renumbered = match named.is_some() || pattern.stencil().is_some() {
        true => Renumbered::identity(graph),
        false if machine.is_switched() => renumbered,
        false => renumbered.if_large(),
    };
    let graph = &*renumbered.graph;
    let affinity = graph.affinity();
    let problem = Problem {
        graph,
        affinity: &affinity,
        machine,
        pattern: &pattern,
        seed: request.seed,
        objective: request.objective,
        effort: request.least_effort(),
        deadline: request.time.map(|time| start + time),
    };
    let block = renumbered.to_internal(Placement::block(graph.ranks()));
    let runs = match named {
        Some(heuristic) => portfolio::alone(&problem, heuristic, request.refine, watch)?,
        None => portfolio::all(&problem, &renumbered, request, watch),
    };
    let search = start.elapsed();
    watch(Progress::Scoring);
    let lower_bound = metric::lower_bound_of(&affinity, machine).hop_bytes;
    // Of a large graph there is no room for every view of it at once.
    drop(affinity);
    let mut baseline = metric::score_of_routes(graph, machine, &block);
    let mut candidates = portfolio::scored(graph, machine, runs);
    match named {
        Some(_) => candidates = vec![portfolio::best_of(candidates, request.objective)],
        None => candidates.insert(0, portfolio::as_launched(&block, &baseline)),
    }
    let best = portfolio::best(&candidates, request.objective, &baseline);
    let all_paths = |placement: &Placement| {
        metric::all_minimal_paths_congestion(graph, machine, placement, most_steps(request.effort))
    };
    baseline.max_congestion_amp = all_paths(&block);
    if let Ok(winner) = &mut candidates[best].outcome {
        winner.score.max_congestion_amp = all_paths(&winner.placement);
    }
    for solution in candidates.iter_mut().flat_map(|c| &mut c.outcome) {
        let inside = std::mem::replace(&mut solution.placement, Placement::block(0));
        solution.placement = renumbered.to_original(inside);
    }
    let congestion_bound = metric::congestion_bound(graph, machine, lower_bound);
    Ok(Selection {
        objective: request.objective,
        best,
        candidates,
        baseline,
        lower_bound,
        congestion_bound,
        pattern,
        search,
    })
}

/// How much of a result's time the congestion over all shortest paths may take.
fn most_steps(effort: Effort) -> u64 {
    match effort {
        Effort::Fast => 1 << 20,
        Effort::Balanced => 1 << 25,
        Effort::Best => 1 << 28,
    }
}

fn heuristic_named(name: &str) -> Result<&'static dyn Heuristic, SelectError> {
    let found = HEURISTICS.iter().find(|h| h.about().name == name);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = HEURISTICS.iter().map(|h| h.about().name).collect();
        SelectError::UnknownHeuristic {
            name: name.into(),
            known: known.join(", "),
        }
    })
}

#[cfg(test)]
mod tests;
