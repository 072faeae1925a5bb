//! Any grid onto any mesh or torus: factorisations, squeezes and windings, searched and scored exactly.
//!
//! The closed form ranks the ways, over all readings of the pattern and all boxes of the machine; the best
//! ones are laid out and scored on the graph itself, so diagonals and unequal directions count as they are;
//! the best of those are polished by exchanges, since what looks best before is not always best after.

mod search;
mod step;

use super::factor::Source;
use super::roster::Roster;
use super::target::{Geometry, Target};
use crate::heuristic::{
    Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem, Refinement,
};
use crate::ids::NodeId;
use crate::metric::hop_bytes_over;
use crate::pattern::Stencil;
use crate::placement::Placement;
use crate::refine::Swap;
use rayon::prelude::*;
use search::Plan;

/// Messages looked at while ways are scored exactly: about a second's worth on large worlds.
const LOOKS: usize = 100_000_000;

/// Fewest and most ways scored exactly.
const EXACT: (usize, usize) = (6, 48);

/// Placements polished, and the ranks up to which that takes no time to speak of.
const POLISHED: usize = 5;
const POLISHED_RANKS: usize = 16_384;

/// Boxes of the machine that are searched, the most compact ones.
const BOXES: usize = 48;

/// Grid onto mesh or torus by any sequence of squeezes, windings and one factorisation.
#[derive(Debug)]
pub struct Reshape;

impl Heuristic for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn family(&self) -> Family {
        Family::Regular
    }

    fn summary(&self) -> &'static str {
        "grid onto grid by squeezing, winding and factoring, searched over shapes and boxes"
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let geometry = Geometry::of(problem.machine)?;
        if problem.pattern.stencil().is_none() {
            return Err(NotApplicable("the ranks form no grid".into()));
        }
        let tasks = tasks(problem, &geometry);
        let ways = ways(&tasks, problem);
        if ways.is_empty() {
            return Err(NotApplicable(
                "no box of the machine has room for the grid".into(),
            ));
        }
        let placed = polished(problem, &scored(problem, &geometry, &ways));
        placed.ok_or_else(|| NotApplicable("a node would overflow".into()))
    }
}

/// One reading of the ranks and one box to put it into.
struct Task<'a> {
    stencil: &'a Stencil,
    source: Source,
    target: Target,
}

/// A plan for a task.
struct Way<'a> {
    task: &'a Task<'a>,
    plan: Plan,
}

/// Every reading with every box worth trying.
fn tasks<'a>(problem: &Problem<'a>, geometry: &Geometry) -> Vec<Task<'a>> {
    let stencils = problem.pattern.stencils();
    stencils
        .flat_map(|stencil| {
            let boxes = geometry.compact_boxes(stencil.cells(), BOXES).into_iter();
            boxes.map(move |target| Task {
                stencil,
                source: Source::of(stencil),
                target,
            })
        })
        .collect()
}

/// The best ways in closed form over all tasks.
fn ways<'a>(tasks: &'a [Task<'a>], problem: &Problem<'_>) -> Vec<Way<'a>> {
    let mut ways: Vec<Way<'_>> = tasks
        .par_iter()
        .flat_map_iter(|task| {
            let plans = search::plans(&task.source, &task.target).into_iter();
            plans.map(move |plan| Way { task, plan })
        })
        .collect();
    ways.sort_by(|a, b| a.plan.cost.total_cmp(&b.plan.cost));
    let affordable = LOOKS / problem.graph.pairs().max(1);
    ways.truncate(affordable.clamp(EXACT.0, EXACT.1));
    ways
}

/// A way laid out: hop-bytes, the node of every rank, and the way.
type Scored<'a> = (u128, Vec<NodeId>, &'a Way<'a>);

/// The ways by hop-bytes on the graph itself, each value once.
fn scored<'a>(problem: &Problem<'_>, geometry: &Geometry, ways: &'a [Way<'a>]) -> Vec<Scored<'a>> {
    let distances = problem.machine.topology().distances();
    let mut scored: Vec<_> = ways
        .par_iter()
        .filter_map(|way| {
            let cells = geometry.nodes(&way.plan.map(&way.task.stencil.dims)?);
            let nodes = Roster::of(way.task.stencil, problem).nodes(&cells)?;
            Some((
                hop_bytes_over(problem.graph, &distances, &nodes),
                nodes,
                way,
            ))
        })
        .collect();
    scored.sort_by_key(|&(hop_bytes, ..)| hop_bytes);
    scored.dedup_by_key(|&mut (hop_bytes, ..)| hop_bytes);
    scored
}

/// The best placement after exchanges, with what led to it.
fn polished(problem: &Problem<'_>, scored: &[Scored<'_>]) -> Option<Placed> {
    let least = scored.first()?.0;
    let small = problem.graph.ranks() <= POLISHED_RANKS && least > problem.graph.total_bytes();
    let count = if small { POLISHED } else { 1 };
    let polished: Vec<_> = scored[..count.min(scored.len())]
        .par_iter()
        .filter_map(|(before, nodes, way)| {
            let mut placement = Placement::from_nodes(nodes, problem.machine.slots())?;
            let did = match small {
                true => Swap.refine(problem, &mut placement),
                false => Diagnostics::default(),
            };
            let after = did.history.last().copied().unwrap_or(*before);
            Some((after, placement, did, way))
        })
        .collect();
    let best = polished.into_iter().min_by_key(|&(after, ..)| after)?;
    let (_, placement, mut diagnostics, way) = best;
    diagnostics.notes.insert(0, describe(way));
    Some(Placed {
        placement,
        diagnostics,
    })
}

fn describe(way: &Way<'_>) -> String {
    let sizes: Vec<String> = way
        .task
        .target
        .sizes
        .iter()
        .map(ToString::to_string)
        .collect();
    let steps = way.plan.describe(&way.task.source);
    format!("box {} (cores last): {steps}", sizes.join("x"))
}
