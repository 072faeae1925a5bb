//! `spectral`: eigenvectors of the communication graph as coordinates, for meshes and tori.
//!
//! The lowest eigenvectors of the graph's Laplacian are its smoothest coordinates. They are rotated
//! until they run along the axes of the body, and the box of the machine and the points are halved
//! together, every cut exact to the slot. Position relaxation then moves ranks towards their
//! partners and halves again. Several rotations and axis orders are tried and compared by
//! hop-bytes.
//!
//! ```text
//! eigenvectors          rotated              halved with the machine (4x4)
//!      . .                . . . .              a a|b b
//!    . . . .              . . . .              a a|b b
//!    . . . .              . . . .              ---+---
//!      . .                . . . .              c c|d d
//!                                              c c|d d
//! ```
//!
//! | step | module |
//! | --- | --- |
//! | aggregates, the coarse versions of the graph | [`aggregate`] |
//! | eigenvectors, coarse to fine | [`eigen`], [`dense`] |
//! | rotation to the axes | [`rotate`], [`axes`] |
//! | exact cuts | [`kd`], [`region`] |
//! | position relaxation | [`mod@relax`] |
//! | graphs that look like a plane | [`flat`] |
//!
//! Source: coordinates from eigenvectors are due to Hall, Management Science 17, 1970. The
//! rotation, the exact cuts and the relaxation are put together here. Wrap-around links shorten
//! distances but are not sought: a periodic graph is laid flat.
//!
//! Cost: O(m + n log n) for n ranks and m pairs. A prototype took 0.5 s for 65 536 ranks and 9.7 s
//! for a million ranks with 14 partners each, exchanges included, on two cores; `scripts/bench
//! irregular --scale` measures today's times.

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

use aggregate::Hierarchy;
use axes::Candidates;
use graph::{Components, Graph};
use kd::Cuts;
use rankfold_base::{NodeId, Placement, SlotId};
use rankfold_machine::Grid;
use rankfold_problem::heuristic::{
    About, Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rayon::prelude::*;
use region::{Region, free_slots};
use relax::{HierarchyLevel, RatedPositions, SMALL, Thoroughness, relax};
use std::ops::Range;

pub(crate) use flat::SpectralPlane;

/// Most layouts that are relaxed.
const MOST_RELAXED: usize = 4;

/// A graph counts as one body if less than one rank in this many is outside the largest component.
const ONE_BODY_PART: usize = 8;

/// Most dimensions of two nodes or more that a machine may have: the number of eigenvectors
/// computed.
const MOST_AXES: usize = 8;

/// The heuristic `spectral`.
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

/// The level of the hierarchy on which layouts are tried, and the components of that level.
///
/// This is the finest level, unless the graph is large and nearly all of it is one component.
/// Vertices outside that component then find their places during the relaxation.
fn start(hierarchy: &Hierarchy, components: &Components) -> (usize, Vec<Range<usize>>) {
    let largest = components.ranges[0].len();
    if ONE_BODY_PART * (components.order.len() - largest) > components.order.len() {
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

/// The third eigenvalue divided by the second, for the largest component.
fn flatness(problem: &Problem<'_>, components: &Components) -> f64 {
    let whole = Graph::new(problem.affinity, &components.order);
    let hierarchy = Hierarchy::new(whole.part(&components.ranges[0]));
    let values = eigen::lowest(hierarchy.from(0), problem.seed).values;
    values[2] / values[1]
}

/// The placement of all ranks: those with partners on their nodes, all others on free slots.
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
