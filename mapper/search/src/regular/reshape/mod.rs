//! Any grid onto any mesh or torus: factorisations, squeezes and windings, searched and scored
//! exactly.
//!
//! A way is a sequence of steps that lays one reading of the pattern into one box of the machine. A
//! closed form ranks the ways; the best ones are laid out and scored on the graph itself, so that
//! diagonals and unequal directions count as they are. The placements of the published heuristics
//! compete with them, up to a number of ranks beyond which they are far behind: `reshape` is never
//! worse than any of them. Where no sizes divide, grids are dealt out by halves. The best
//! placements of all are improved by exchanges, because the best one before them is not always the
//! best one after them.

mod deal;
mod search;
mod step;

use super::grid_ranks::Reading;
use super::published::{self, Pairs};
use super::target::{Geometry, Target};
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem, Refinement,
};
use crate::refine::Swap;
use deal::Deal;
use rankfold_model::ids::NodeId;
use rankfold_model::metric::hop_bytes_over;
use rankfold_model::placement::Placement;
use rayon::prelude::*;
use search::Plan;

/// Messages looked at while ways are scored exactly: a fraction of a second's worth on large
/// worlds.
const LOOKS: usize = 20_000_000;

/// Fewest and most ways scored exactly.
const EXACT: (usize, usize) = (3, 48);

/// Ways scored side by side; after each batch it is seen whether the next can still win.
const BATCH: usize = 4;

/// A way is laid out if its cost in closed form is at most this many times the fewest hop-bytes
/// found so far.
const NEAR: f64 = 1.1;

/// Ranks of all placements together that exchanges improve; jobs of more ranks are not improved.
const POLISHED_RANKS: usize = 16_384;

/// Fewest and most placements that exchanges improve.
const POLISHED: (usize, usize) = (5, 24);

/// Boxes of the machine that are searched, the most compact ones.
const BOXES: usize = 48;

/// Boxes that grids are dealt out over.
const DEALT_BOXES: usize = 4;

/// Grids are dealt out if the best way found costs more than this many times what no way is
/// expected to beat.
const DEALT_ABOVE: f64 = 1.3;

/// Ranks up to which grids are dealt out although a way was found.
const DEALT_RANKS: usize = 1 << 17;

/// What an effort pays for.
#[derive(Clone, Copy, Debug)]
struct Params {
    /// Whether exchanges improve the best placements.
    polishes: bool,
    /// Whether grids are dealt out, too, over boxes without a place to spare that a way was found
    /// for.
    deals_always: bool,
    /// Ranks up to which the published random exchanges take part: they are slow.
    pairs_ranks: usize,
}

impl Params {
    fn of(effort: Effort) -> Self {
        match effort {
            Effort::Hurried | Effort::Fast => Self {
                polishes: false,
                deals_always: false,
                pairs_ranks: 128,
            },
            Effort::Balanced | Effort::Best => Self {
                polishes: true,
                deals_always: true,
                pairs_ranks: 512,
            },
        }
    }
}

/// Grid onto mesh or torus by any sequence of squeezes, windings and one factorisation.
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
        let geometry = Geometry::of(problem.machine)?;
        let readings = Reading::all(problem);
        if readings.is_empty() {
            return Err(NotApplicable("the ranks form no grid".into()));
        }
        let tasks = tasks(&readings, &geometry);
        let ways = ways(&tasks, problem);
        let mut laid = laid_out(problem, &geometry, &ways);
        laid.extend(dealt(problem, &geometry, &tasks, &laid));
        laid.extend(published(problem, &laid));
        laid.sort_by_key(|laid| laid.hop_bytes);
        laid.dedup_by_key(|laid| laid.hop_bytes);
        polished(problem, &laid)
            .ok_or_else(|| NotApplicable("no box of the machine has room for the grid".into()))
    }
}

/// A reading and one box to put it into.
struct Task<'a> {
    reading: &'a Reading<'a>,
    target: Target,
}

/// A plan for a task.
struct Way<'a> {
    task: &'a Task<'a>,
    plan: Plan,
}

impl Task<'_> {
    fn describe(&self, how: &str) -> String {
        let sizes = self.target.sizes.iter().map(ToString::to_string);
        let sizes: Vec<String> = sizes.collect();
        format!("box {} (cores last): {how}", sizes.join("x"))
    }

    /// Ways to deal the grid out over the box.
    fn deals(&self) -> Vec<Deal> {
        deal::deals(&self.reading.stencil.dims, &self.target)
    }

    /// Hop-bytes that no way is expected to beat.
    fn floor(&self) -> f64 {
        let cores = self.target.sizes.last().copied().unwrap_or(1);
        search::floor(&self.reading.source, cores)
    }
}

impl Way<'_> {
    /// The node of every rank; `None` if the plan does not work out.
    fn nodes(&self, geometry: &Geometry) -> Option<Vec<NodeId>> {
        let map = self.plan.map(&self.task.reading.stencil.dims)?;
        self.task.reading.grid_ranks.nodes(&geometry.nodes(&map))
    }

    fn describe(&self) -> String {
        self.task
            .describe(&self.plan.describe(&self.task.reading.source))
    }
}

/// Every reading with every box worth trying.
fn tasks<'a>(readings: &'a [Reading<'a>], geometry: &Geometry) -> Vec<Task<'a>> {
    let boxes = |reading: &'a Reading<'a>| {
        let boxes = geometry.compact_boxes(reading.stencil.cells(), BOXES);
        boxes
            .into_iter()
            .map(move |target| Task { reading, target })
    };
    readings.iter().flat_map(boxes).collect()
}

/// The best ways in closed form over all tasks: first those without detours, so that only detours
/// are looked for that may be better.
fn ways<'a>(tasks: &'a [Task<'a>], problem: &Problem<'_>) -> Vec<Way<'a>> {
    let all = |plans: &(dyn Fn(&Task<'_>) -> Vec<Plan> + Sync)| -> Vec<Way<'a>> {
        let ways = tasks.par_iter().flat_map_iter(|task| {
            let plans = plans(task).into_iter();
            plans.map(move |plan| Way { task, plan })
        });
        ways.collect()
    };
    let mut ways = all(&|task| search::direct(&task.reading.source, &task.target));
    let costs = ways.iter().map(|way| way.plan.cost);
    let least = costs.fold(f64::INFINITY, f64::min);
    ways.extend(all(&|task| {
        search::detours(&task.reading.source, &task.target, least)
    }));
    ways.sort_by(|a, b| a.plan.cost.total_cmp(&b.plan.cost));
    let affordable = LOOKS / problem.graph.pairs().max(1);
    ways.truncate(affordable.clamp(EXACT.0, EXACT.1));
    ways
}

/// A placement found: hop-bytes, the node of every rank, and where it comes from.
struct Laid<'a> {
    hop_bytes: u128,
    nodes: Vec<NodeId>,
    origin: Origin<'a>,
}

#[derive(Clone, Copy)]
enum Origin<'a> {
    Way(&'a Way<'a>),
    Deal(&'a Task<'a>, usize),
    Published(&'static str),
}

/// The ways by hop-bytes on the graph itself.
fn laid_out<'a>(problem: &Problem<'_>, geometry: &Geometry, ways: &'a [Way<'a>]) -> Vec<Laid<'a>> {
    let distances = problem.machine.topology().distances();
    let mut found: Vec<Laid<'_>> = Vec::new();
    for batch in ways.chunks(BATCH) {
        let least = fewest(&found);
        if is_optimal(problem, least) || batch[0].plan.cost > least as f64 * NEAR {
            break;
        }
        found.par_extend(batch.par_iter().filter_map(|way| {
            let nodes = way.nodes(geometry)?;
            Some(Laid {
                hop_bytes: hop_bytes_over(problem.graph, &distances, &nodes),
                nodes,
                origin: Origin::Way(way),
            })
        }));
    }
    found
}

/// The grid dealt out by halves over the first boxes, where the ways found leave much to be wished
/// for; at once where there is none or the box has places to spare, otherwise only with time for
/// it.
fn dealt<'a>(
    problem: &Problem<'_>,
    geometry: &Geometry,
    tasks: &'a [Task<'a>],
    laid: &[Laid<'_>],
) -> Vec<Laid<'a>> {
    let affordable = LOOKS / problem.graph.pairs().max(1);
    let least = fewest(laid) as f64;
    let unhurried = Params::of(problem.effort).deals_always || laid.is_empty();
    let wanting = |task: &&Task<'_>| {
        let spare = task.target.slots() > task.reading.stencil.cells();
        let few = problem.graph.ranks() <= DEALT_RANKS || laid.is_empty();
        least > DEALT_ABOVE * task.floor() && few && (unhurried || spare)
    };
    let tasks = tasks.iter().filter(wanting).take(DEALT_BOXES);
    let deals = tasks.flat_map(|task| {
        let deals = task.deals().into_iter().enumerate();
        deals.map(move |(index, deal)| (task, index, deal))
    });
    let deals: Vec<_> = deals.take(affordable.max(EXACT.0)).collect();
    let distances = problem.machine.topology().distances();
    let laid = deals.par_iter().filter_map(|(task, index, deal)| {
        let map = deal.map(&task.target);
        let nodes = task.reading.grid_ranks.nodes(&geometry.nodes(&map))?;
        Some(Laid {
            hop_bytes: hop_bytes_over(problem.graph, &distances, &nodes),
            nodes,
            origin: Origin::Deal(task, *index),
        })
    });
    laid.collect()
}

fn fewest(laid: &[Laid<'_>]) -> u128 {
    laid.iter().map(|l| l.hop_bytes).min().unwrap_or(u128::MAX)
}

/// Whether every message takes one hop, or none: with one rank a node nothing can be better.
fn is_optimal(problem: &Problem<'_>, hop_bytes: u128) -> bool {
    let slots = problem.machine.slots();
    slots.len() == slots.nodes() && hop_bytes <= problem.graph.total_bytes()
}

/// What the published heuristics make of it, unless that cannot be better.
fn published(problem: &Problem<'_>, laid: &[Laid<'_>]) -> Vec<Laid<'static>> {
    let ranks = problem.graph.ranks();
    if ranks > published::AFFORDABLE || is_optimal(problem, fewest(laid)) {
        return Vec::new();
    }
    let pairs =
        (ranks <= Params::of(problem.effort).pairs_ranks).then_some(&Pairs as &dyn Heuristic);
    let distances = problem.machine.topology().distances();
    let suite: Vec<&dyn Heuristic> = published::SUITE.into_iter().chain(pairs).collect();
    let placed = suite.par_iter().filter_map(|heuristic| {
        let placed = heuristic.place(problem).ok()?;
        let nodes = placed.placement.nodes(problem.machine.slots());
        Some(Laid {
            hop_bytes: hop_bytes_over(problem.graph, &distances, &nodes),
            nodes,
            origin: Origin::Published(heuristic.about().name),
        })
    });
    placed.collect()
}

/// The best placement after exchanges, with what led to it.
fn polished(problem: &Problem<'_>, laid: &[Laid<'_>]) -> Option<Placed> {
    let least = laid.first()?.hop_bytes;
    let polish = Params::of(problem.effort).polishes
        && problem.graph.ranks() <= POLISHED_RANKS
        && !is_optimal(problem, least);
    let together = POLISHED_RANKS / problem.graph.ranks().max(1);
    let count = match polish {
        true => together.clamp(POLISHED.0, POLISHED.1),
        false => 1,
    };
    let polished: Vec<_> = laid[..count.min(laid.len())]
        .par_iter()
        .filter_map(|laid| {
            let mut placement = Placement::from_nodes(&laid.nodes, problem.machine.slots())?;
            let did = match polish {
                true => Swap.refine(problem, &mut placement),
                false => Diagnostics::default(),
            };
            let after = did.history.last().copied().unwrap_or(laid.hop_bytes);
            Some((after, placement, did, laid.origin))
        })
        .collect();
    let best = polished.into_iter().min_by_key(|&(after, ..)| after)?;
    let (_, placement, mut diagnostics, origin) = best;
    let how = match origin {
        Origin::Way(way) => way.describe(),
        Origin::Deal(task, index) => task.describe(&task.deals()[index].describe()),
        Origin::Published(name) => format!("as {name} places it"),
    };
    diagnostics.notes.insert(0, how);
    Some(Placed {
        placement,
        diagnostics,
    })
}
