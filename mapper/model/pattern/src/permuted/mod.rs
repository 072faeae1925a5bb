//! Grids whose ranks are numbered in any order: coordinates from adjacency alone.
//!
//! Idea: two neighbours of a rank that share another neighbour form a square with the rank; two
//! neighbours that share none are on one line. Completing squares finds the coordinates of a
//! Cartesian product of paths and rings. To handle diagonals and wide stencils as well, squares are
//! completed against a [`Template`], a stencil in an endless grid:
//!
//! 1. [`Adjacency`]: the members' neighbours, without stray edges (edges on no square and no
//!    triangle).
//! 2. [`seed`](seed::all): one member and its neighbours are laid onto the template, so that any
//!    two of them have as many common neighbours as the template says.
//! 3. [`Growth`](growth::Growth): all other members are placed, the most constrained first, where
//!    most of their placed neighbours are next to them. Wrong and missing edges are outvoted.
//! 4. [`bounded`](bounded::layout): finds where the endless grid ends or closes to a ring.
//!    [`Finite`](finite::Finite) fills gaps and moves misplaced members.
//!
//! ```text
//! adjacency of 12 ranks       seed: 7 with its   growth: 4 is a neighbour    result
//! 7: 2 9 11 5                 four neighbours    of 2 and 9, so it takes     4 2 ..
//! 2: 7 4 ..  9: 7 4 ..            . 2 .          the cell next to both:      9 7 5
//!                                 9 7 5              4 2 .                   . 11
//!                                 . 11 .             9 7 5
//! ```
//!
//! Paths and rings have no squares; [`path_order`] handles them.
//!
//! Adjacency alone does not distinguish a ring of four from a square: the 4-cycle is the Cartesian
//! product of two edges. (Prime factors of a connected graph are unique, Sabidussi 1960, and the
//! 4-cycle is not prime.) Both readings are reported, the one with fewer dimensions first. A ring
//! that lost an edge is reported as a path.
//!
//! The method is the project's own. Imrich & Peterin, "Recognizing Cartesian products in linear
//! time" (Discrete Mathematics 307, 2007), solve the problem without noise. Cost: O(edges x steps
//! of the template) for every template and seed; `scripts/bench analyser` shows times.

mod bounded;
mod cell_table;
mod finite;
mod growth;
mod neighbour_similarity;
mod path_order;
mod seed;
mod template;

use super::Stencil;
use super::adjacency::Adjacency;
use super::traffic::PairTraffic;
use seed::Origins;
use template::Template;

/// Fewest members: by definition, any connected graph of fewer members is some grid.
const FEWEST: usize = 4;

/// Least share of the members that growth must place. Chosen by hand.
const REACHED: f64 = 0.95;

/// Confidence from which a grid is beyond doubt: 1 % of strays and 1 % of silent pairs leave as
/// much.
const SURE: f64 = 0.98;

/// Most seeds that are grown for one template. In `scripts/bench analyser --worlds`, no grid was
/// accepted after the fourth seed (commit 2e54fa6).
const GROWTHS: usize = 5;

/// Up to this many members, all templates are tried and every grid found is an alternative. Above,
/// the first grid ends the search. Chosen by hand.
const EXHAUSTIVE: usize = 1024;

/// A grid and the cell of every member; `None` for a member outside the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberCells {
    /// Size of every dimension, the longest first.
    pub(super) dims: Vec<usize>,
    /// Row-major cell of every member.
    pub(super) cells: Vec<Option<u32>>,
}

/// Finds grids hidden in the traffic, whatever the numbers of the members; the simplest first.
///
/// `accept` verifies a layout. The search continues until it accepts one.
pub(super) fn layouts(
    traffic: &PairTraffic,
    mut accept: impl FnMut(&MemberCells) -> Option<Stencil>,
) -> Vec<Stencil> {
    if traffic.members() < FEWEST {
        return Vec::new();
    }
    let Some(adjacency) = traffic.adjacency_without_hubs() else {
        return Vec::new();
    };
    let lines = path_order::orders(&adjacency).into_iter().flatten();
    let lines = lines.filter_map(|layout| accept(&layout));
    // With a hub at the wrong end, a path looks like a ring.
    if let Some(found) = lines.min_by_key(|line| line.periodic[0]) {
        return vec![found];
    }
    // In a grid two cells wide, an edge may have lost its only square to noise. A member that looks
    // like a hub may be the centre of a small grid.
    let clean = adjacency.without_strays();
    let hubs = traffic.hub.contains(&true);
    let with_hubs = hubs
        .then(|| traffic.adjacency())
        .filter(|adjacency| !adjacency.is_crowded());
    let adjacencies = clean.iter().chain([&*adjacency]).chain(with_hubs);
    let adjacencies: Vec<(&Adjacency, Vec<Origins>)> = adjacencies
        .map(|adjacency| (adjacency, Origins::of(adjacency)))
        .collect();
    let mut found = Vec::new();
    for damage in [0, 1] {
        for (adjacency, origins) in &adjacencies {
            search(adjacency, origins, damage, &mut accept, &mut found);
            if !found.is_empty() {
                return found;
            }
        }
    }
    found
}

/// Searches for grids that grow from seeds of the highest degrees and are accepted. Each seed may
/// have `damage` neighbours too few or too many. Templates that would lead to the same grid as one
/// found with certainty are skipped.
fn search(
    adjacency: &Adjacency,
    origins: &[Origins],
    damage: usize,
    accept: &mut impl FnMut(&MemberCells) -> Option<Stencil>,
    found: &mut Vec<Stencil>,
) {
    for origins in origins {
        let degree = origins.degree;
        let whole = [degree + damage, degree.abs_diff(damage)];
        for &whole in &whole[..1 + damage] {
            let mut sure: Vec<&Template> = Vec::new();
            for template in template::with_degree(whole, adjacency.grid_sizes()) {
                if sure.iter().any(|other| other.leads_where(template)) {
                    continue;
                }
                let Some(best) = best(grown(adjacency, template, origins), accept) else {
                    continue;
                };
                if best.confidence >= SURE {
                    sure.push(template);
                }
                keep(found, best);
                if adjacency.members() > EXHAUSTIVE {
                    return;
                }
            }
        }
        if !found.is_empty() {
            return;
        }
    }
}

/// The most confident of the first accepted layouts. The search ends at a layout whose errors noise
/// alone explains, and at a second layout of the same sizes: with more noise, no seed reaches a
/// higher confidence.
fn best(
    layouts: impl Iterator<Item = MemberCells>,
    accept: &mut impl FnMut(&MemberCells) -> Option<Stencil>,
) -> Option<Stencil> {
    let mut found: Vec<Stencil> = Vec::new();
    for stencil in layouts.filter_map(|layout| accept(&layout)) {
        let again = found.iter().any(|known| known.dims == stencil.dims);
        let sure = stencil.confidence >= SURE;
        found.push(stencil);
        if sure || again {
            break;
        }
    }
    let surer = |a: Stencil, b: Stencil| if b.confidence > a.confidence { b } else { a };
    found.into_iter().reduce(surer)
}

/// Adds a grid. Of two grids with the same sizes, the more confident one is kept.
fn keep(found: &mut Vec<Stencil>, new: Stencil) {
    match found.iter_mut().find(|known| known.dims == new.dims) {
        Some(known) if known.confidence < new.confidence => *known = new,
        Some(_) => {}
        None => found.push(new),
    }
}

/// The layouts that grow from the seeds and reach most of the members.
fn grown<'a>(
    adjacency: &'a Adjacency,
    template: &'a Template,
    origins: &'a Origins,
) -> impl Iterator<Item = MemberCells> + 'a {
    seed::all(adjacency, template, origins)
        .take(GROWTHS)
        .filter_map(move |seed| {
            let growth = growth::Growth::from(adjacency, template, &seed);
            let missed = adjacency.grown() - growth.reached();
            let reached = missed as f64 <= (1.0 - REACHED) * adjacency.grown() as f64 + 1.0;
            if reached {
                bounded::layout(adjacency, template, growth)
            } else {
                None
            }
        })
}
