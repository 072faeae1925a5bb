//! Grids whose ranks are numbered in no order at all: coordinates from who is whose neighbour.
//!
//! No number helps, only adjacency: two neighbours of a rank that share a further neighbour span a
//! square, two that do not lie on one line. The square completion of Cartesian product graphs
//! follows from that alone; to take diagonals and wide stencils in as well, it is carried out
//! against a [`Template`], a stencil somewhere inside an endless grid:
//!
//! 1. [`Adjacency`]: the members' neighbours, without stray edges (those on no square and no triangle);
//! 2. [`seed`](seed::all): one member and its neighbours laid onto the template, so that any two of
//!    them have as many common neighbours as there;
//! 3. [`Growth`](growth::Growth): everybody else, most constrained first, where most placed
//!    neighbours want it; wrong and missing edges are outvoted;
//! 4. [`close`](bounded::layout): where the endless grid ends or closes to a ring;
//!    [`Finite`](finite::Finite): who fills the gaps, and who sits badly.
//!
//! Paths and rings have no squares; [`path_order`] orders them.
//!
//! Adjacency alone does not tell a ring of four from a square: the 4-cycle is the Cartesian product
//! of two edges, so every product with one factor is the product with the other two, whatever else
//! it is made of (prime factors of a connected graph are unique, Sabidussi 1960, and the 4-cycle is
//! not prime). Both are answers; the one with fewer dimensions goes first. A ring that lost an edge
//! is a path, edge by edge.

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

/// Below, every connected graph is some grid.
const FEWEST: usize = 4;

/// Share of the members that growth must reach.
const REACHED: f64 = 0.95;

/// Confidence that 1 % of strays and 1 % of silent pairs leave of a grid.
const SURE: f64 = 0.98;

/// Seeds grown before a template is given up.
const GROWTHS: usize = 5;

/// Every grid found stays one alternative; above this many members the first one ends the search.
const EXHAUSTIVE: usize = 1024;

/// A grid and the cell of every member, `None` for one that has no place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberCells {
    /// Size of every dimension, the longest first.
    pub(super) dims: Vec<usize>,
    /// Row-major cell of every member.
    pub(super) cells: Vec<Option<u32>>,
}

/// Grids that may be hidden in the traffic, whatever the members' numbers; the simplest first.
///
/// `accept` verifies a layout; the search goes on until it does.
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
    // With a hub at the wrong end of it, a path looks like a ring.
    if let Some(found) = lines.min_by_key(|line| line.periodic[0]) {
        return vec![found];
    }
    // Where the grid is two cells wide, an edge may have lost its only square to noise. What looks
    // like a hub may be the middle of a small grid.
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

/// Grids that grow from seeds of the highest degrees and are accepted; each seed with `damage`
/// neighbours too few or too many. Templates that lead where a grid beyond doubt came from are
/// spared.
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

/// The most confident of the first layouts accepted; one that noise alone explains ends the search,
/// and so does a second one of the same sizes: with more noise than that no seed makes a grid sure.
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

/// Adds a grid; of two with the same sizes the more confident one stays.
fn keep(found: &mut Vec<Stencil>, new: Stencil) {
    match found.iter_mut().find(|known| known.dims == new.dims) {
        Some(known) if known.confidence < new.confidence => *known = new,
        Some(_) => {}
        None => found.push(new),
    }
}

/// What grows from every seed, where that is most of the members.
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
