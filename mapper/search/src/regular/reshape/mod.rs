//! `reshape`: any grid onto any mesh or torus by factorisations, squeezes and windings.
//!
//! A *plan* is a sequence of steps that brings one reading of the pattern into the shape of one box
//! of the machine. Plans are ranked in closed form; the best ones are laid out and scored with the
//! messages of the graph, so that diagonals and unequal directions count as they are. Exchanges
//! then improve the best placements, because the best placement before exchanges is not always the
//! best one afterwards.
//!
//! ```text
//! grid     box            plan
//! 16x4     8x8            one factorisation: 16 = 8 x 2, folded once
//! 100x40   125x32         one squeeze: columns of 40 climb through 32 rows
//! 32x8     torus 8x8x4    8 cut into 2 pieces of 4; 32x2 wound around 8x8; 4 along the third side
//! ```
//!
//! Two more kinds of candidates take part. Where sizes share no factors, [`halving`] deals the
//! cells to the halves of a box. The placements of the heuristics in
//! [`published`](mod@super::published) compete up to the number of ranks for which they are
//! affordable, so `reshape` is never worse than any of them there.
//!
//! Source: new here. The steps come from Chan and Saad 1986 (factorisations), Aleliunas and
//! Rosenberg 1982 (squeezes) and Bhatele et al. 2010 (folding). Cost: the ranking takes bounded
//! time for any number of ranks n; scoring takes O(n + m) for each layout with m pairs. 64k ranks
//! take less than a second (`scripts/bench regular`).

mod halving;
mod search;
mod step;

use super::grid_ranks::GridReading;
use super::published::{self, Pairs};
use super::target::{MachineGeometry, SlotBox};
use halving::HalvingLayout;
use rankfold_base::{NodeId, Placement};
use rankfold_metric::hop_bytes_over;
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem, Refinement,
};
use rankfold_refine::Swap;
use rayon::prelude::*;
use search::ReshapePlan;

/// Pairs of ranks that scoring looks up in total.
///
/// A fraction of a second on large graphs: 64k ranks took under a second in all when the limit was
/// introduced.
const MOST_LOOKUPS: usize = 20_000_000;

/// Fewest and most plans that are laid out and scored.
const SCORED: (usize, usize) = (3, 48);

/// Plans scored in parallel before the next check whether the remaining ones can still win. Chosen
/// by hand; independent of the number of threads, so that the result is too.
const BATCH: usize = 4;

/// A plan is laid out if its cost in closed form is at most this multiple of the fewest hop-bytes
/// so far. The closed form is about this exact for squeezes; no measurement is recorded.
const WITHIN: f64 = 1.1;

/// Ranks of all placements together that exchanges improve; jobs of more ranks are not improved.
const POLISHED_RANKS: usize = 16_384;

/// Fewest and most placements that exchanges improve.
const POLISHED: (usize, usize) = (5, 24);

/// Number of boxes of the machine that are searched, the most compact first.
const BOXES: usize = 48;

/// Number of boxes that are tried with recursive halving.
const HALVED_BOXES: usize = 4;

/// Recursive halving is tried if the best plan costs more than this multiple of the cost that no
/// plan is expected to beat.
///
/// 5x5x5 on 8x4x4, whose sizes share no factor, fell from 1.85 to 1.55 hops by halving when the
/// limit was introduced; the limit itself was chosen by hand.
const HALVED_ABOVE: f64 = 1.3;

/// Most ranks for which recursive halving is tried although a plan exists.
const HALVED_RANKS: usize = 1 << 17;

/// The parts of the search that an effort includes.
#[derive(Clone, Copy, Debug)]
struct SearchLimits {
    /// Whether exchanges improve the best placements.
    polishes: bool,
    /// Whether recursive halving is also tried over boxes that a plan fills completely.
    halves_always: bool,
    /// Most ranks for which the exchanges of `pairs` take part, without jumps; they are slow.
    pairs_ranks: usize,
}

impl SearchLimits {
    fn of(effort: Effort) -> Self {
        match effort {
            Effort::Hurried | Effort::Fast => Self {
                polishes: false,
                halves_always: false,
                pairs_ranks: 128,
            },
            Effort::Balanced | Effort::Best => Self {
                polishes: true,
                halves_always: true,
                pairs_ranks: 512,
            },
        }
    }
}

/// The heuristic `reshape`.
#[derive(Debug)]
pub struct Reshape;

impl Heuristic for Reshape {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "reshape",
            Family::Regular,
            "grid onto grid by squeezing, winding and factoring, searched over shapes and boxes",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let geometry = MachineGeometry::of(problem.machine)?;
        let readings = GridReading::all(problem);
        if readings.is_empty() {
            return Err(NotApplicable("the ranks form no grid".into()));
        }
        let tasks = tasks(&readings, &geometry);
        let plans = plans(&tasks, problem);
        let mut laid = laid_out(problem, &geometry, &plans);
        laid.extend(halved(problem, &geometry, &tasks, &laid));
        laid.extend(published(problem, &laid));
        laid.sort_by_key(|laid| laid.hop_bytes);
        laid.dedup_by_key(|laid| laid.hop_bytes);
        polished(problem, &laid)
            .ok_or_else(|| NotApplicable("no box of the machine has room for the grid".into()))
    }
}

/// A reading and the box of the machine that it is mapped into.
struct Task<'a> {
    reading: &'a GridReading<'a>,
    target: SlotBox,
}

/// A plan for a task.
struct PlannedTask<'a> {
    task: &'a Task<'a>,
    plan: ReshapePlan,
}

impl Task<'_> {
    fn describe(&self, description: &str) -> String {
        let sizes = self.target.sizes.iter().map(ToString::to_string);
        let sizes: Vec<String> = sizes.collect();
        format!("box {} (cores last): {description}", sizes.join("x"))
    }

    /// The layouts by recursive halving that are worth trying.
    fn halving_layouts(&self) -> Vec<HalvingLayout> {
        halving::layouts(&self.reading.stencil.dims, &self.target)
    }

    /// Hop-bytes in closed form that no plan is expected to beat.
    fn floor(&self) -> f64 {
        let cores = self.target.sizes.last().copied().unwrap_or(1);
        search::floor(&self.reading.source, cores)
    }
}

impl PlannedTask<'_> {
    /// The node of every rank; `None` if a step of the plan does not fit.
    fn nodes(&self, geometry: &MachineGeometry) -> Option<Vec<NodeId>> {
        let map = self.plan.map(&self.task.reading.stencil.dims)?;
        self.task.reading.grid_ranks.nodes(&geometry.nodes(&map))
    }

    fn describe(&self) -> String {
        self.task
            .describe(&self.plan.describe(&self.task.reading.source))
    }
}

/// Every reading with every box that is worth trying.
fn tasks<'a>(readings: &'a [GridReading<'a>], geometry: &MachineGeometry) -> Vec<Task<'a>> {
    let boxes = |reading: &'a GridReading<'a>| {
        let boxes = geometry.compact_boxes(reading.stencil.cells(), BOXES);
        boxes
            .into_iter()
            .map(move |target| Task { reading, target })
    };
    readings.iter().flat_map(boxes).collect()
}

/// The plans with the lowest cost in closed form over all tasks.
///
/// Plans of a single factorisation come first. Their lowest cost limits the search for plans with
/// more steps.
fn plans<'a>(tasks: &'a [Task<'a>], problem: &Problem<'_>) -> Vec<PlannedTask<'a>> {
    let all = |plans: &(dyn Fn(&Task<'_>) -> Vec<ReshapePlan> + Sync)| -> Vec<PlannedTask<'a>> {
        let planned = tasks.par_iter().flat_map_iter(|task| {
            let plans = plans(task).into_iter();
            plans.map(move |plan| PlannedTask { task, plan })
        });
        planned.collect()
    };
    let mut planned = all(&|task| search::direct(&task.reading.source, &task.target));
    let costs = planned.iter().map(|planned| planned.plan.cost);
    let least = costs.fold(f64::INFINITY, f64::min);
    planned.extend(all(&|task| {
        search::with_steps(&task.reading.source, &task.target, least)
    }));
    planned.sort_by(|a, b| a.plan.cost.total_cmp(&b.plan.cost));
    let affordable = MOST_LOOKUPS / problem.graph.pairs().max(1);
    planned.truncate(affordable.clamp(SCORED.0, SCORED.1));
    planned
}

/// A scored placement: hop-bytes, the node of every rank, and where the placement comes from.
struct ScoredLayout<'a> {
    hop_bytes: u128,
    nodes: Vec<NodeId>,
    origin: Origin<'a>,
}

#[derive(Clone, Copy)]
enum Origin<'a> {
    Plan(&'a PlannedTask<'a>),
    Halving(&'a Task<'a>, usize),
    Published(&'static str),
}

/// The placements of the plans, scored by hop-bytes on the graph itself.
fn laid_out<'a>(
    problem: &Problem<'_>,
    geometry: &MachineGeometry,
    plans: &'a [PlannedTask<'a>],
) -> Vec<ScoredLayout<'a>> {
    let distances = problem.machine.topology().distances();
    let mut found: Vec<ScoredLayout<'_>> = Vec::new();
    for batch in plans.chunks(BATCH) {
        let least = fewest(&found);
        if is_optimal(problem, least) || batch[0].plan.cost > least as f64 * WITHIN {
            break;
        }
        found.par_extend(batch.par_iter().filter_map(|planned| {
            let nodes = planned.nodes(geometry)?;
            Some(ScoredLayout {
                hop_bytes: hop_bytes_over(problem.graph, &distances, &nodes),
                nodes,
                origin: Origin::Plan(planned),
            })
        }));
    }
    found
}

/// Placements by recursive halving over the first boxes for which the plans leave much to gain.
///
/// At low efforts halving is only tried where there is no plan, or where the box has spare slots.
fn halved<'a>(
    problem: &Problem<'_>,
    geometry: &MachineGeometry,
    tasks: &'a [Task<'a>],
    laid: &[ScoredLayout<'_>],
) -> Vec<ScoredLayout<'a>> {
    let affordable = MOST_LOOKUPS / problem.graph.pairs().max(1);
    let least = fewest(laid) as f64;
    let everywhere = SearchLimits::of(problem.effort).halves_always || laid.is_empty();
    let wanting = |task: &&Task<'_>| {
        let spare = task.target.slots() > task.reading.stencil.cells();
        let few = problem.graph.ranks() <= HALVED_RANKS || laid.is_empty();
        least > HALVED_ABOVE * task.floor() && few && (everywhere || spare)
    };
    let tasks = tasks.iter().filter(wanting).take(HALVED_BOXES);
    let layouts = tasks.flat_map(|task| {
        let layouts = task.halving_layouts().into_iter().enumerate();
        layouts.map(move |(index, layout)| (task, index, layout))
    });
    let layouts: Vec<_> = layouts.take(affordable.max(SCORED.0)).collect();
    let distances = problem.machine.topology().distances();
    let laid = layouts.par_iter().filter_map(|(task, index, layout)| {
        let map = layout.map(&task.target);
        let nodes = task.reading.grid_ranks.nodes(&geometry.nodes(&map))?;
        Some(ScoredLayout {
            hop_bytes: hop_bytes_over(problem.graph, &distances, &nodes),
            nodes,
            origin: Origin::Halving(task, *index),
        })
    });
    laid.collect()
}

fn fewest(laid: &[ScoredLayout<'_>]) -> u128 {
    laid.iter().map(|l| l.hop_bytes).min().unwrap_or(u128::MAX)
}

/// Whether every message takes at most one hop, which is optimal with one rank a node.
fn is_optimal(problem: &Problem<'_>, hop_bytes: u128) -> bool {
    let slots = problem.machine.slots();
    slots.len() == slots.nodes() && hop_bytes <= problem.graph.total_bytes()
}

/// The placements of the published heuristics, unless the best placement so far is optimal.
fn published(problem: &Problem<'_>, laid: &[ScoredLayout<'_>]) -> Vec<ScoredLayout<'static>> {
    let ranks = problem.graph.ranks();
    if ranks > published::AFFORDABLE || is_optimal(problem, fewest(laid)) {
        return Vec::new();
    }
    let pairs = (ranks <= SearchLimits::of(problem.effort).pairs_ranks)
        .then_some(&Pairs::WITHOUT_JUMPS as &dyn Heuristic);
    let distances = problem.machine.topology().distances();
    let suite: Vec<&dyn Heuristic> = published::SUITE.into_iter().chain(pairs).collect();
    let placed = suite.par_iter().filter_map(|heuristic| {
        let placed = heuristic.place(problem).ok()?;
        let nodes = placed.placement.nodes(problem.machine.slots());
        Some(ScoredLayout {
            hop_bytes: hop_bytes_over(problem.graph, &distances, &nodes),
            nodes,
            origin: Origin::Published(heuristic.about().name),
        })
    });
    placed.collect()
}

/// The best placement after exchanges, with a note on its origin.
fn polished(problem: &Problem<'_>, laid: &[ScoredLayout<'_>]) -> Option<Placed> {
    let least = laid.first()?.hop_bytes;
    let polish = SearchLimits::of(problem.effort).polishes
        && problem.graph.ranks() <= POLISHED_RANKS
        && !is_optimal(problem, least);
    let together = POLISHED_RANKS / problem.graph.ranks().max(1);
    let count = if polish {
        together.clamp(POLISHED.0, POLISHED.1)
    } else {
        1
    };
    let polished: Vec<_> = laid[..count.min(laid.len())]
        .par_iter()
        .filter_map(|laid| {
            let mut placement = Placement::from_nodes(&laid.nodes, problem.machine.slots())?;
            let did = if polish {
                Swap.refine(problem, &mut placement)
            } else {
                Diagnostics::default()
            };
            let after = did.history.last().copied().unwrap_or(laid.hop_bytes);
            Some((after, placement, did, laid.origin))
        })
        .collect();
    let best = polished.into_iter().min_by_key(|&(after, ..)| after)?;
    let (_, placement, mut diagnostics, origin) = best;
    let description = match origin {
        Origin::Plan(planned) => planned.describe(),
        Origin::Halving(task, index) => task.describe(&task.halving_layouts()[index].describe()),
        Origin::Published(name) => format!("as {name} places it"),
    };
    diagnostics.notes.insert(0, description);
    Some(Placed {
        placement,
        diagnostics,
    })
}
