//! Grid onto grid by mixed-radix Gray factorisation.

use super::factor::{self, Factorisation};
use super::grid_ranks::Reading;
use super::target::{Geometry, Target};
use crate::heuristic::{About, Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem};
use rankfold_model::ids::NodeId;
use rankfold_model::metric::hop_bytes_over;
use rankfold_model::placement::Placement;
use rayon::prelude::*;

/// Factorisations scored on the graph itself, of those that look best in closed form.
const EXACT: usize = 24;

/// Messages looked at while they are; two are scored at least.
const LOOKS: usize = 20_000_000;

/// Any grid of ranks onto any box of a mesh, torus or hierarchy, with any number of cores per node.
///
/// Stencils of every reading the analyser found are tried on every box of the machine with exactly
/// as many slots as there are ranks; `factor.rs` describes the embedding. Hierarchies are grids
/// whose steps cost the same however far: the factors then are the tiles per switch, leaf and node.
#[derive(Debug)]
pub struct Gray;

impl Heuristic for Gray {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "gray",
            Family::Regular,
            "grid onto grid, every dimension factored into reflected Gray digits of mixed radix",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let geometry = Geometry::of(problem.machine)?;
        let readings = Reading::all(problem);
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
        let affordable = LOOKS / problem.graph.pairs().max(1);
        let candidates = candidates(&boxes, affordable.clamp(2, EXACT));
        let (_, nodes, embedding) = cheapest(problem, &geometry, &candidates)
            .ok_or_else(|| NotApplicable("the sizes of grid and machine do not factor".into()))?;
        let placement = Placement::from_nodes(&nodes, problem.machine.slots())
            .ok_or_else(|| NotApplicable("a node would overflow".into()))?;
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

/// A grid, a box for it and a way to lay one into the other.
struct Embedding<'a> {
    reading: &'a Reading<'a>,
    target: &'a Target,
    how: Factorisation,
}

impl Embedding<'_> {
    fn describe(&self) -> String {
        let sizes: Vec<String> = self.target.sizes.iter().map(ToString::to_string).collect();
        format!(
            "box {} (cores last): {}",
            sizes.join("x"),
            self.how.describe()
        )
    }
}

/// Every reading with every box that has as many slots as the grid has cells.
fn boxes<'a>(readings: &'a [Reading<'a>], geometry: &Geometry) -> Vec<(&'a Reading<'a>, Target)> {
    let boxes = |reading: &'a Reading<'a>| {
        let boxes = geometry.boxes(reading.stencil.cells()).into_iter();
        boxes.map(move |target| (reading, target))
    };
    readings.iter().flat_map(boxes).collect()
}

/// The `most` best in closed form over all readings and boxes.
fn candidates<'a>(boxes: &'a [(&'a Reading<'a>, Target)], most: usize) -> Vec<Embedding<'a>> {
    let mut candidates: Vec<Embedding<'_>> = boxes
        .par_iter()
        .flat_map_iter(|&(reading, ref target)| {
            factor::best(&reading.source, target, most, f64::INFINITY)
                .into_iter()
                .map(move |how| Embedding {
                    reading,
                    target,
                    how,
                })
        })
        .collect();
    candidates.sort_by(|a, b| a.how.cost.total_cmp(&b.how.cost));
    candidates.truncate(most);
    candidates
}

/// The candidate with the fewest hop-bytes on the graph itself, the earlier one of equals.
fn cheapest<'a>(
    problem: &Problem<'_>,
    geometry: &Geometry,
    candidates: &'a [Embedding<'a>],
) -> Option<(u128, Vec<NodeId>, &'a Embedding<'a>)> {
    let distances = problem.machine.topology().distances();
    let scored: Vec<_> = candidates
        .par_iter()
        .filter_map(|embedding| {
            let cells = geometry.nodes(&embedding.how.map());
            let nodes = embedding.reading.grid_ranks.nodes(&cells)?;
            let hop_bytes = hop_bytes_over(problem.graph, &distances, &nodes);
            Some((hop_bytes, nodes, embedding))
        })
        .collect();
    scored.into_iter().min_by_key(|&(hop_bytes, ..)| hop_bytes)
}
