//! Rotated spectral embedding with exact cuts and position relaxation, for grid machines.
//!
//! Ours, from known parts. The lowest eigenvectors of the communication graph's Laplacian are its
//! smoothest coordinates (Hall, Management Science 17, 1970), rotated so that they run along the
//! body's own axes ([`rotate`]). The machine's box and the points are then cut in halves together,
//! every cut exact to the slot ([`kd`]), and the layout is relaxed ([`relax`]). Eigenvectors
//! ([`eigen`]) and relaxation use the same hierarchy of aggregates ([`aggregate`]), so that the
//! time is about linear in the number of messages. Several rotations and axis orders are tried and
//! judged by hop-bytes.
//!
//! Wrap-around links shorten distances but are not sought: a graph that is itself periodic lies
//! flat.

mod aggregate;
mod axes;
mod dense;
mod eigen;
mod flat;
mod graph;
mod kd;
mod region;
mod relax;
mod rotate;

use crate::heuristic::{About, Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem};
use aggregate::Hierarchy;
use axes::Candidates;
use graph::{Components, Graph};
use kd::Cuts;
use rankfold_model::ids::{NodeId, SlotId};
use rankfold_model::machine::Grid;
use rankfold_model::placement::Placement;
use rayon::prelude::*;
use region::{Region, free_slots};
use relax::{HierarchyLevel, RatedPositions, SMALL, Thoroughness, relax};
use std::ops::Range;

pub(crate) use flat::SpectralPlane;

/// Most layouts relaxed.
const MOST_RELAXED: usize = 4;

/// The largest component is nearly everything if less than one rank in this many is outside of it.
const MOST_OF: usize = 8;

/// Dimensions of at least two nodes a grid may have.
const MOST_AXES: usize = 8;

/// Spectral coordinates, exact cuts, relaxation.
#[derive(Debug)]
pub(crate) struct Spectral;

impl Heuristic for Spectral {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "spectral",
            Family::Irregular,
            "rotated eigenvectors as coordinates, machine and ranks halved together, relaxed (ours; after Hall 1970)",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let refuse = |why: String| Err(NotApplicable(why));
        let Some(grid) = problem.machine.topology().structure().grid() else {
            return refuse("the machine is neither a torus nor a mesh".into());
        };
        let components = Components::of(problem.affinity);
        if components.order.is_empty() {
            return refuse("no two ranks exchange bytes".into());
        }
        match grid.dims().iter().filter(|&&k| k > 1).count() {
            0 => refuse("the machine has a single node".into()),
            1..=3 => Ok(embed::<3>(problem, grid, &components)),
            4..=MOST_AXES => Ok(embed::<MOST_AXES>(problem, grid, &components)),
            axes => refuse(format!(
                "the machine has {axes} dimensions of two nodes or more, at most {MOST_AXES} are supported"
            )),
        }
    }
}

fn embed<const D: usize>(problem: &Problem<'_>, grid: &Grid, components: &Components) -> Placed {
    let ranks = components.order.len();
    let region = Region::<D>::new(grid, problem.machine.slots(), ranks);
    let cuts = Cuts::new(&region);
    let hierarchy = Hierarchy::new(Graph::new(problem.affinity, &components.order));
    let (start, bodies) = start(&hierarchy, components);
    let levels = hierarchy.from(start);
    let candidates = Candidates::new(levels, &bodies, &region, problem.seed);
    let thoroughness = Thoroughness::of(problem.effort);
    let level = HierarchyLevel {
        graph: &levels.levels[0],
        region: &region,
        cuts: &cuts,
        exact: start == 0,
        patience: thoroughness.patience,
    };
    let tried = thoroughness.tried / level.graph.len();
    let tried = candidates.len().min(tried.max(1));
    let mut layouts: Vec<(usize, RatedPositions<D>)> = (0..tried)
        .into_par_iter()
        .map(|i| {
            let (groups, positions) = candidates.coordinates(i);
            (i, level.layout(level.settle_groups(&positions, &groups)))
        })
        .collect();
    layouts.sort_by(|a, b| a.1.cost.total_cmp(&b.1.cost).then(a.0.cmp(&b.0)));
    layouts.truncate((thoroughness.relaxed / ranks).clamp(1, MOST_RELAXED));
    let relaxed = layouts.len();
    let (candidate, layout) = layouts
        .into_par_iter()
        .map(|(i, layout)| {
            (
                i,
                relax(&hierarchy, start, &region, &cuts, layout, thoroughness),
            )
        })
        .min_by(|a, b| a.1.cost.total_cmp(&b.1.cost).then(a.0.cmp(&b.0)))
        .expect("there is always a candidate");
    let nodes = layout.positions.par_iter().map(|p| region.node(p));
    let nodes: Vec<NodeId> = nodes.collect();
    Placed {
        placement: placement(problem, components, &nodes),
        diagnostics: Diagnostics {
            passes: tried as u32,
            notes: vec![format!(
                "{}, the best of {relaxed} relaxed out of {tried} tried",
                candidates.describe(candidate)
            )],
            ..Diagnostics::default()
        },
    }
}

/// The level whose layouts are tried, and its components: the finest one, unless that is large and
/// nearly all one body. What else there is then has the relaxation to find its place.
fn start(hierarchy: &Hierarchy, components: &Components) -> (usize, Vec<Range<usize>>) {
    let largest = components.ranges[0].len();
    if MOST_OF * (components.order.len() - largest) > components.order.len() {
        return (0, components.ranges.clone());
    }
    match hierarchy.level_of(SMALL) {
        0 => (0, components.ranges.clone()),
        level => {
            let body = 0..hierarchy.first(largest, level);
            (level, Vec::from([body]))
        }
    }
}

/// Third eigenvalue over second of the largest component.
fn flatness(problem: &Problem<'_>, components: &Components) -> f64 {
    let whole = Graph::new(problem.affinity, &components.order);
    let hierarchy = Hierarchy::new(whole.part(&components.ranges[0]));
    let values = eigen::lowest(hierarchy.from(0), problem.seed).values;
    values[2] / values[1]
}

/// Ranks with partners on their nodes, the others on whatever is left.
fn placement(problem: &Problem<'_>, components: &Components, nodes: &[NodeId]) -> Placement {
    let slots = problem.machine.slots();
    let mut next: Vec<_> = (0..slots.nodes())
        .map(|n| slots.on(NodeId::at(n)))
        .collect();
    let mut slot_of: Vec<Option<SlotId>> = vec![None; problem.graph.ranks()];
    for (rank, node) in components.order.iter().zip(nodes) {
        slot_of[rank.index()] = next[node.index()].next();
    }
    let mut free = free_slots(slots, nodes);
    let slot_of = slot_of.into_iter().map(|slot| slot.or_else(|| free.next()));
    Placement::new(slot_of.map(|slot| slot.expect("the ranks fit")).collect())
}

#[cfg(test)]
mod tests;
