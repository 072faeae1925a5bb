//! Which heuristics run, how their placements are refined and judged, and which one wins.
//!
//! 1. Block order, as most launchers place ranks, is always a candidate: the first one, unrefined.
//! 2. The heuristics of the oblivious and the regular family place the ranks. The irregular family
//!    follows, except where a regular heuristic placed a grid of ranks on a mesh or torus and the
//!    effort is below [`Effort::Best`]. Heuristics made for another kind of machine only run at
//!    that effort; heuristics too slow for the number of ranks only run when asked for by name.
//! 3. Placements that may still win are refined.
//! 4. Refinements that search on from the best placements add candidates. Descents begin from the
//!    placements with the fewest hop-bytes, where the objective has an [aim](Objective::descent)
//!    for them; anneals begin from the best so far, where it has [one](Objective::anneal) for them.
//! 5. Where the value is a predicted time, the best candidates are replayed, and only
//!    these can win. The best of them is a candidate once more after exchanges of the ranks that
//!    its time depends on.
//! 6. The candidate with the lowest value of the objective wins; of equals, the earlier one. A
//!    candidate with more hop-bytes than block order does not win, unless the objective
//!    [allows](Objective::most_hop_bytes) as many. Where a part of the machine is assumed, the
//!    winner is a gain whatever the truth is.
//! 7. Where the inside of nodes is known, the winner's ranks get better seats inside of their
//!    nodes.

mod asked;
mod bounds;
mod choice;
mod critical_moves;
mod doubts;
mod error;
mod explain;
mod finalists;
mod finishing;
mod judging;
mod named;
mod outcome;
mod portfolio;
mod run;
mod settled;
mod unequal;

use crate::{irregular, regular};
use asked::Asked;
pub use error::SelectError;
pub use explain::{Explanation, Verdict, name_in_words};
use judging::{Judging, Stay};
pub use named::heuristic_with_options;
use named::named_heuristic;
pub use outcome::{Candidate, Selection, Solution, Stays, Valued};
use rankfold_assess::{Bounds, Case, HostCase, Unit};
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_graph::renumbered::Renumbered;
use rankfold_machine::Machine;
use rankfold_metric::{self as metric, BoundEffort};
use rankfold_pattern::{self as pattern, Pattern};
use rankfold_problem::heuristic::{Effort, Heuristic, Refinement};
use rankfold_problem::objective::Objective;
use rankfold_problem::team::{Alone, Team};
use rankfold_refine::REFINEMENTS;
use settled::Settling;
use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, Instant};

/// The heuristics of this crate, in the order they run. Of candidates with equal values, the
/// earlier one wins.
pub const HEURISTICS: &[&dyn Heuristic] = &[
    &regular::Block,
    &regular::XYZ,
    &regular::TXYZ,
    &regular::ROUND_ROBIN,
    &regular::Gray,
    &regular::Reshape,
    &regular::Tiles,
    &regular::MXOVLP,
    &regular::MXOV_AL,
    &regular::EXCO,
    &regular::EXCO_SORTED,
    &regular::COCE,
    &regular::COCE_SORTED,
    &regular::AFFN,
    &regular::STEP,
    &regular::PAIRS,
    &regular::STACKING,
    &regular::FOLDING,
    &regular::Hilbert,
    &regular::Bhatele,
    &irregular::Rcm,
    &irregular::LtmGreedy,
    &irregular::Spectral,
    &irregular::SpectralPlane {
        folded_by: &[&regular::Gray, &regular::FOLDING],
    },
    &irregular::Multisection,
];

/// The order in which most launchers place ranks: what every placement is compared with.
pub const BLOCK_ORDER: &dyn Heuristic = &regular::Block;

/// Lists of heuristics, one for each crate that has some.
pub type Heuristics = &'static [&'static [&'static dyn Heuristic]];

/// The members that a search draws from: [`HEURISTICS`] and [`REFINEMENTS`] by default.
#[derive(Clone, Copy)]
pub struct Portfolio {
    /// The heuristics, in the order they run.
    pub heuristics: Heuristics,
    /// The refinements, in the order they run.
    pub refinements: &'static [&'static dyn Refinement],
}

impl Default for Portfolio {
    fn default() -> Self {
        Self {
            heuristics: &[HEURISTICS],
            refinements: REFINEMENTS,
        }
    }
}

impl Portfolio {
    /// The heuristics, in the order they run.
    pub fn heuristics(&self) -> impl Iterator<Item = &'static dyn Heuristic> + use<> {
        self.heuristics.iter().copied().flatten().copied()
    }
}

impl fmt::Debug for Portfolio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heuristics = self.heuristics();
        let heuristics = heuristics.map(|one| one.about().name);
        let refinements = self.refinements.iter().map(|one| one.about().name);
        f.debug_list()
            .entries(heuristics.chain(refinements))
            .finish()
    }
}

/// What to search for, with which algorithms and for how long.
#[derive(Clone, Debug)]
pub struct Request {
    /// One heuristic by name, with options (`NAME:OPTION=VALUE,...`) where it takes any, or the
    /// whole portfolio (`None` or `auto`).
    pub heuristic: Option<String>,
    /// What to minimise.
    pub objective: &'static dyn Objective,
    /// How much work to do.
    pub effort: Effort,
    /// Seed of every random choice.
    pub seed: u64,
    /// With a time, searches that can go on do so until the time has passed since the start of the
    /// selection. The result then depends on the speed of the computer. Without a time, searches do
    /// a fixed amount of work.
    pub time: Option<Duration>,
    /// The number of repetitions that the paper of the named heuristic leaves to the user; `None`
    /// for the paper's own number.
    pub loops: Option<u64>,
    /// Whether placements are refined. Without refinements, a named heuristic shows what it
    /// achieves alone.
    pub refine: bool,
    /// The heuristics and refinements to search with.
    pub portfolio: Portfolio,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            heuristic: None,
            objective: Default::default(),
            effort: Effort::default(),
            seed: 0,
            time: None,
            loops: None,
            refine: true,
            portfolio: Portfolio::default(),
        }
    }
}

impl Request {
    /// The effort to search with: at least balanced if a time is given, because a fast search ends
    /// long before any deadline.
    fn searched_effort(&self) -> Effort {
        match self.time {
            Some(_) => self.effort.max(Effort::Balanced),
            None => self.effort,
        }
    }

    /// What lower bounds are worth beside the search.
    #[must_use]
    pub fn bound_effort(&self) -> BoundEffort {
        match self.searched_effort() {
            Effort::Hurried | Effort::Fast => BoundEffort::Fast,
            Effort::Balanced => BoundEffort::Standard,
            Effort::Best => BoundEffort::Long,
        }
    }
}

/// A step of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The pattern of the graph is being analysed.
    Analysing,
    /// This many further steps will be reported, in any order.
    Planned(usize),
    /// The heuristic of this name is placing ranks.
    Constructing(&'static str),
    /// The placement of a heuristic (first name) is being improved by a refinement (second name).
    Refining(&'static str, &'static str),
    /// The refinement of this name is searching on from the best placements.
    Searching(&'static str),
    /// The metrics of all candidates are being computed.
    Scoring,
}

/// Called with every step as it begins, from any thread.
pub type Watch<'a> = &'a (dyn Fn(Progress) + Sync);

/// Runs the portfolio and picks the best candidate by the objective. All ranks may move. A
/// heuristic that is asked for by name runs alone. Its best placement wins, even where block order
/// has a better value.
///
/// # Errors
/// [`SelectError`]: the ranks do not fit the machine, or the heuristic asked for is unknown or not
/// applicable.
pub fn select(
    graph: &CommGraph,
    machine: &Machine,
    request: &Request,
) -> Result<Selection, SelectError> {
    select_together(Case::new(graph, machine), request, &Alone, &|_| ())
}

/// [`select`] for any case, by all processes of a team. Every process gets the same result. `watch`
/// is called with every step.
///
/// All processes pass the same arguments. A graph that the case owns is renumbered in place, so
/// that a large graph does not take memory twice. With several processes a [`time`](Request::time)
/// is refused, since each process would end its search at another point.
///
/// # Errors
/// Those of [`select`], and [`SelectError::TimeApart`].
pub fn select_together(
    case: Case<'_>,
    request: &Request,
    team: &dyn Team,
    watch: Watch<'_>,
) -> Result<Selection, SelectError> {
    let Unit::Hosts(each) = case.unit else {
        return unequal::search(case, request, team, watch);
    };
    case.machine.check_fits(case.graph.ranks())?;
    let hosts = HostCase::of(&case.graph, case.machine, each);
    let constraints = &case.constraints;
    let constraints = constraints.of_hosts(&hosts, case.machine, each as usize)?;
    let of_hosts = Case::new(&hosts.graph, &hosts.machine).keeping(constraints);
    let found = search(of_hosts, request, team, watch)?;
    let placed = |placement: &Placement| hosts.of_ranks(placement, case.machine);
    Ok(found.of_ranks(&case, request, team, &placed))
}

/// The search for a placement of every rank by itself.
fn search(
    case: Case<'_>,
    request: &Request,
    team: &dyn Team,
    watch: Watch<'_>,
) -> Result<Selection, SelectError> {
    let start = Instant::now();
    let (named, options) = named_heuristic(request, team)?;
    let machine = case.machine;
    machine.check_fits(case.graph.ranks())?;
    watch(Progress::Analysing);
    let (block, launched) = (case.block(), case.launch().cloned());
    let (pattern, renumbered) = analysed(case.graph, machine, named.is_some());
    let graph = &*renumbered.graph;
    let constraints = case
        .constraints
        .renumbered(|number| renumbered.original_rank(number));
    let affinity = graph.affinity();
    let asked = Asked {
        graph,
        machine,
        constraints: &constraints,
        pattern: &pattern,
        request,
        options: &options,
        deadline: request.time.map(|time| start + time),
        team,
    };
    let problem = asked.problem(&affinity);
    let block = renumbered.to_internal(block);
    let launched = launched.map(|launched| renumbered.to_internal(launched));
    let stay = Stay::of(&problem, &block, launched.as_ref());
    let runs = match named {
        Some(heuristic) => portfolio::alone(&problem, heuristic, request, watch)?,
        None => portfolio::all(&problem, &renumbered, request, watch),
    };
    let search = start.elapsed();
    watch(Progress::Scoring);
    let effort = request.bound_effort();
    let bound = metric::lower_bound_of(&affinity, machine, effort).hop_bytes;
    let fewest = bounds::partial_placements(request.searched_effort())
        .and_then(|most| metric::fewest_hop_bytes(&affinity, machine, most));
    // Of a large graph there is no room for every view of it at once.
    drop(affinity);
    let judging = Judging {
        graph,
        machine,
        constraints: &constraints,
        request,
        team,
    };
    let judged = judging.all(runs, &stay, named.is_some());
    let settling = Settling {
        graph,
        machine,
        request,
        team,
    };
    let mut settled = settling.settled(judged, block, launched);
    if machine.knows_insides() {
        settled = settled.finished(&asked.problem(&graph.affinity()), request);
    }
    let settled = settled.renumbered(|placement| renumbered.to_original(placement));
    let bounds = Bounds {
        is_optimum: fewest.is_some(),
        ..Bounds::knowing(graph, machine, fewest.unwrap_or(bound), effort)
    };
    Ok(settled.selection((graph, machine), request, bounds, pattern, search))
}

/// The pattern of a graph, and the graph with its ranks renumbered where that helps the search.
///
/// Grids are placed by their own numbers, and on switched machines numbers that mean something are
/// a good start: elsewhere, ranks whose numbers mean nothing get others.
fn analysed<'a>(
    graph: Cow<'a, CommGraph>,
    machine: &Machine,
    is_named: bool,
) -> (Pattern, Renumbered<'a>) {
    let original = match &graph {
        Cow::Borrowed(graph) => Some(*graph),
        Cow::Owned(_) => None,
    };
    let renumbered = Renumbered::if_scattered(graph);
    let pattern = pattern::analyze_renumbered(&renumbered);
    let by_own_numbers = is_named || pattern.stencil().is_some();
    let renumbered = match (by_own_numbers, original) {
        (true, Some(graph)) => Renumbered::identity(Cow::Borrowed(graph)),
        (true, None) => renumbered.into_original(),
        (false, _) if machine.is_switched() => renumbered,
        (false, _) => renumbered.if_large(),
    };
    (pattern, renumbered)
}

#[cfg(test)]
mod tests;
