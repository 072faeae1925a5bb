//! Grids whose ranks are numbered in no order at all: coordinates from who is whose neighbour.
//!
//! No number helps, only adjacency: two neighbours of a rank that share a further neighbour span a square,
//! two that do not lie on one line. The square completion of Cartesian product graphs follows from that
//! alone; to take diagonals and wide stencils in as well, it is carried out against a [`Template`], a
//! stencil somewhere inside an endless grid:
//!
//! 1. [`Net`]: the members' neighbours, without stray edges (those on no square and no triangle);
//! 2. [`seed`](seed::find): one member and its neighbours laid onto the template, so that any two of them
//!    have as many common neighbours as there;
//! 3. [`Growth`](growth::Growth): everybody else, most constrained first, where most placed neighbours
//!    want it; wrong and missing edges are outvoted;
//! 4. [`close`](close::cells): where the endless grid ends or closes to a ring, and who fills the gaps.
//!
//! Paths and rings have no squares; [`line`] orders them.

mod close;
mod growth;
mod line;
mod net;
mod seed;
mod template;

use super::traffic::Traffic;
use net::Net;
pub(super) use net::shared;
use template::Template;

/// Below, every connected graph is some grid.
const FEWEST: usize = 4;

/// Share of the members that growth must reach.
const REACHED: f64 = 0.95;

/// Every grid found stays one alternative; above this many members the first one ends the search.
const EXHAUSTIVE: usize = 1024;

/// A grid and the cell of every member, `None` for one that has no place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Size of every dimension, the longest first.
    pub(super) dims: Vec<usize>,
    /// Row-major cell of every member.
    pub(super) cells: Vec<Option<u32>>,
}

/// Grids that may be hidden in the traffic, whatever the members' numbers; the simplest first.
///
/// `accept` verifies a layout; the search goes on until it does.
pub(super) fn layouts<T>(
    traffic: &Traffic,
    mut accept: impl FnMut(&Layout) -> Option<T>,
) -> Vec<T> {
    if traffic.members() < FEWEST {
        return Vec::new();
    }
    let Some(net) = Net::of(traffic) else {
        return Vec::new();
    };
    if let Some(found) = line::order(&net).and_then(|layout| accept(&layout)) {
        return vec![found];
    }
    // Where the grid is two cells wide, an edge may have lost its only square to noise.
    let clean = net.without_strays();
    let mut found = clean
        .as_ref()
        .map_or_else(Vec::new, |clean| search(clean, &mut accept));
    if found.is_empty() {
        found = search(&net, &mut accept);
    }
    found
}

/// Grids that grow from seeds of the highest degrees and are accepted.
fn search<T>(net: &Net, accept: &mut impl FnMut(&Layout) -> Option<T>) -> Vec<T> {
    let mut found = Vec::new();
    let mut known: Vec<Vec<usize>> = Vec::new();
    for degree in net.seed_degrees() {
        for template in template::with_degree(degree, net.grid_sizes()) {
            let mut layouts = grown(net, template).filter(|l| !known.contains(&l.dims));
            let accepted = layouts.find_map(|layout| Some((accept(&layout)?, layout.dims)));
            let Some((accepted, dims)) = accepted else {
                continue;
            };
            known.push(dims);
            found.push(accepted);
            if net.members() > EXHAUSTIVE {
                return found;
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// What grows from every seed, where that is most of the members.
fn grown<'a>(net: &'a Net, template: &'a Template) -> impl Iterator<Item = Layout> + 'a {
    seed::all(net, template).filter_map(move |seed| {
        let growth = growth::Growth::from(net, template, &seed);
        let missed = net.grown() - growth.reached();
        let reached = missed as f64 <= (1.0 - REACHED) * net.grown() as f64 + 1.0;
        if reached {
            close::cells(net, template, growth)
        } else {
            None
        }
    })
}
