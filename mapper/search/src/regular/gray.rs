//! `gray`: a grid of ranks onto the grid of the machine by mixed-radix Gray factorisation.
//!
//! Every dimension of the rank grid is split into factors, and every factor is assigned to one
//! dimension of the machine ([`factor`] describes the embedding). All ways to do so are ranked in
//! closed form; the best ones are scored with the messages of the graph itself. Stencils of every
//! [`GridReading`] are tried on every box of the machine with exactly as many slots as the grid has
//! cells. Hierarchies count as grids in which a step along a level costs the same whatever its
//! length: the factors then are the sizes of the tile per switch, leaf and node.
//!
//! Source: Gray codes embed grids in hypercubes in Chan and Saad, "Multigrid algorithms on the
//! hypercube multiprocessor", 1986. Mixed radices, boxes, cores and levels are new here.
//!
//! Cost: the closed form is bounded by a constant number of bounds a box, whatever the number of
//! ranks. Scoring takes O(n + m) for each candidate, with n ranks and m pairs.

use super::factor::{self, Factorisation};
use super::grid_ranks::GridReading;
use super::target::{MachineGeometry, SlotBox};
use rankfold_base::{NodeId, Placement};
use rankfold_metric::hop_bytes_over;
use rankfold_problem::heuristic::{
    About, Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rayon::prelude::*;

/// Most factorisations that are scored with the graph itself.
const MOST_SCORED: usize = 24;

/// Pairs of ranks that scoring looks up in total. At least two factorisations are scored.
///
/// A fraction of a second. Taken over from `reshape`, not measured here.
const MOST_LOOKUPS: usize = 20_000_000;

/// The heuristic `gray`.
#[derive(Debug)]
pub struct Gray;

impl Heuristic for Gray {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "gray",
            Family::Regular,
            "grid onto grid, every dimension factored into reflected Gray digits of mixed radix",
        )
        .called("gray (code)");
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let geometry = MachineGeometry::of(problem.machine)?;
        let readings = GridReading::all(problem);
        let Some(best) = readings.first() else {
            return Err(NotApplicable("the ranks form no grid".into()));
        };
        let boxes = boxes(&readings, &geometry);
        if boxes.is_empty() {
            return Err(NotApplicable(format!(
                "no box of the machine has exactly {} slots",
                best.stencil.cells()
            )));
        }
        let affordable = MOST_LOOKUPS / problem.graph.pairs().max(1);
        let candidates = candidates(&boxes, affordable.clamp(2, MOST_SCORED));
        let (_, nodes, embedding) = cheapest(problem, &geometry, &candidates)
            .ok_or_else(|| NotApplicable("the sizes of grid and machine do not factor".into()))?;
        let placement = Placement::from_nodes(&nodes, problem.machine.slots())
            .ok_or_else(|| NotApplicable("a node would get more ranks than it has slots".into()))?;
        Ok(Placed {
            placement,
            diagnostics: Diagnostics {
                passes: candidates.len() as u32,
                notes: vec![embedding.describe()],
                ..Diagnostics::default()
            },
        })
    }
}

/// A grid of ranks, a box of the machine, and a factorisation of the first onto the second.
struct Embedding<'a> {
    reading: &'a GridReading<'a>,
    target: &'a SlotBox,
    factorisation: Factorisation,
}

impl Embedding<'_> {
    fn describe(&self) -> String {
        let sizes: Vec<String> = self.target.sizes.iter().map(ToString::to_string).collect();
        format!(
            "box {} (cores last): {}",
            sizes.join("x"),
            self.factorisation.describe()
        )
    }
}

/// Every reading with every box that has as many slots as the reading's grid has cells.
fn boxes<'a>(
    readings: &'a [GridReading<'a>],
    geometry: &MachineGeometry,
) -> Vec<(&'a GridReading<'a>, SlotBox)> {
    let boxes = |reading: &'a GridReading<'a>| {
        let boxes = geometry.boxes(reading.stencil.cells()).into_iter();
        boxes.map(move |target| (reading, target))
    };
    readings.iter().flat_map(boxes).collect()
}

/// The `most` factorisations with the lowest cost in closed form, over all readings and boxes.
fn candidates<'a>(boxes: &'a [(&'a GridReading<'a>, SlotBox)], most: usize) -> Vec<Embedding<'a>> {
    let mut candidates: Vec<Embedding<'_>> = boxes
        .par_iter()
        .flat_map_iter(|&(reading, ref target)| {
            factor::best(&reading.source, target, most, f64::INFINITY)
                .into_iter()
                .map(move |factorisation| Embedding {
                    reading,
                    target,
                    factorisation,
                })
        })
        .collect();
    candidates.sort_by(|a, b| a.factorisation.cost.total_cmp(&b.factorisation.cost));
    candidates.truncate(most);
    candidates
}

/// The candidate with the fewest hop-bytes on the graph itself; the earlier candidate of equals.
fn cheapest<'a>(
    problem: &Problem<'_>,
    geometry: &MachineGeometry,
    candidates: &'a [Embedding<'a>],
) -> Option<(u128, Vec<NodeId>, &'a Embedding<'a>)> {
    let distances = problem.machine.topology().distances();
    let scored: Vec<_> = candidates
        .par_iter()
        .filter_map(|embedding| {
            let cells = geometry.nodes(&embedding.factorisation.map());
            let nodes = embedding.reading.grid_ranks.nodes(&cells)?;
            let hop_bytes = hop_bytes_over(problem.graph, &distances, &nodes);
            Some((hop_bytes, nodes, embedding))
        })
        .collect();
    scored.into_iter().min_by_key(|&(hop_bytes, ..)| hop_bytes)
}
