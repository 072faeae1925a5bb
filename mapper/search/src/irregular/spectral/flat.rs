//! Flat graphs: first onto a grid of two dimensions that does not exist, then from there onto the
//! machine.
//!
//! Ours. A graph like the mesh of a surface lies well on a plane of as many cells as there are
//! ranks, and badly on three axes. Planes in turn are folded onto tori and meshes by heuristics for
//! grids of ranks, which keep nearly all neighbours adjacent.

use super::relax::SMALL;
use super::{Components, embed, flatness};
use crate::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rankfold_model::comm::{Affinity, CommGraph, Message};
use rankfold_model::ids::{Rank, SlotId};
use rankfold_model::machine::{Grid, GridNetwork, Machine};
use rankfold_model::metric::hop_bytes_of;
use rankfold_model::pattern;
use rankfold_model::placement::Placement;
use rayon::prelude::*;

/// How many times longer than wide a plane may be.
const LONGEST: usize = 8;

/// Third eigenvalue over second from which on a graph looks flat: 2 for a square, 1 for a cube.
const FLAT: f64 = 1.5;

/// Dimensions from which on a large graph is no plane.
const BULKY: f64 = 2.4;

/// Ranks from which growth is seen, and those around each within which and up to which it is.
const VIEWS: usize = 9;
const NEAR: usize = 100;
const FAR: usize = 3000;

/// How much may be tried.
struct Params {
    /// Planes, the squarest ones.
    planes: usize,
    /// Whether graphs that do not look flat are left out.
    flat_only: bool,
}

impl Params {
    fn of(effort: Effort) -> Self {
        match effort {
            Effort::Hurried | Effort::Fast => Self {
                planes: 1,
                flat_only: true,
            },
            Effort::Balanced | Effort::Best => Self {
                planes: 4,
                flat_only: false,
            },
        }
    }
}

/// Spectral coordinates on a plane, the plane folded onto the machine.
pub(crate) struct SpectralPlane {
    /// Heuristics that lay a plane of ranks onto a torus or mesh; the best of them folds the plane.
    pub(crate) folded_by: &'static [&'static dyn Heuristic],
}

impl Heuristic for SpectralPlane {
    fn about(&self) -> &About {
        const ABOUT: About = About::new(
            "spectral-plane",
            Family::Irregular,
            "like spectral, but onto a plane of cells, which is folded onto the machine (ours)",
        );
        &ABOUT
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let refuse = |why: &str| Err(NotApplicable(why.into()));
        let Some(grid) = problem.machine.topology().structure().grid() else {
            return refuse("the machine is neither a torus nor a mesh");
        };
        if grid.dims().iter().filter(|&&k| k > 1).count() < 3 {
            return refuse("the machine itself has fewer than three dimensions");
        }
        let components = Components::of(problem.affinity);
        if components.order.is_empty() {
            return refuse("no two ranks exchange bytes");
        }
        let params = Params::of(problem.effort);
        if params.flat_only && !is_flat(problem, &components) {
            return refuse("the graph does not look flat (a higher --effort tries all the same)");
        }
        let planes = planes(problem.graph.ranks(), params.planes);
        planes
            .into_par_iter()
            .filter_map(|sides| self.through(problem, &components, sides))
            .min_by_key(|(hop_bytes, sides, _)| (*hop_bytes, *sides))
            .map(|(_, _, placed)| placed)
            .ok_or_else(|| NotApplicable("no plane of so many cells folds onto the machine".into()))
    }
}

/// By how it grows around its ranks, and by its eigenvalues where those take no time.
fn is_flat(problem: &Problem<'_>, components: &Components) -> bool {
    match growth(
        problem.affinity,
        &components.order[components.ranges[0].clone()],
    ) {
        Some(dimensions) => dimensions < BULKY,
        None => flatness(problem, components) >= FLAT,
    }
}

/// How many dimensions a large graph has: within r steps of a rank are about r to that power of
/// others.
///
/// The middle one of what some of the `ranks` see; `None` if they are few.
fn growth(affinity: &Affinity, ranks: &[Rank]) -> Option<f64> {
    if ranks.len() <= SMALL {
        return None;
    }
    let mut seen = vec![false; affinity.ranks()];
    let mut found: Vec<f64> = (0..VIEWS)
        .map(|view| {
            let start = ranks[ranks.len() * (2 * view + 1) / (2 * VIEWS)];
            let within = steps(affinity, start, &mut seen);
            let near = within.iter().position(|&ranks| ranks >= NEAR).unwrap_or(0);
            let far = within.len() - 1;
            let (more, farther) = (
                within[far] as f64 / within[near] as f64,
                (far + 1) as f64 / (near + 1) as f64,
            );
            // All within a few steps of each other: no body at all.
            match far > near {
                true => more.ln() / farther.ln(),
                false => f64::INFINITY,
            }
        })
        .collect();
    found.sort_by(f64::total_cmp);
    Some(found[VIEWS / 2])
}

/// How many ranks are within 1, 2, .. steps of `start`, up to [`FAR`] of them; `seen` is left as it
/// was.
fn steps(affinity: &Affinity, start: Rank, seen: &mut [bool]) -> Vec<usize> {
    let (mut met, mut within, mut inner) = (vec![start], Vec::new(), 0);
    seen[start.index()] = true;
    while met.len() < FAR && inner < met.len() {
        let shell = inner..met.len();
        inner = met.len();
        for index in shell {
            for (other, _) in affinity.partners(met[index]) {
                if !std::mem::replace(&mut seen[other.index()], true) {
                    met.push(other);
                }
            }
        }
        within.push(met.len());
    }
    met.iter().for_each(|rank| seen[rank.index()] = false);
    within
}

/// Sides of the squarest planes of `cells` cells.
fn planes(cells: usize, most: usize) -> Vec<[usize; 2]> {
    let sides = (1..=cells.isqrt()).rev();
    let planes = sides.filter(|&a| cells.is_multiple_of(a) && cells / a <= LONGEST * a);
    planes.map(|a| [cells / a, a]).take(most).collect()
}

impl SpectralPlane {
    /// Hop-bytes and placement by way of one plane.
    fn through(
        &self,
        problem: &Problem<'_>,
        components: &Components,
        sides: [usize; 2],
    ) -> Option<(u128, [usize; 2], Placed)> {
        let slots = self.folded(problem, sides)?;
        let plane = Machine::uniform(GridNetwork::new(Grid::new(sides.to_vec(), false)), 1);
        let on_plane = Problem {
            machine: &plane,
            ..*problem
        };
        let cells =
            embed::<3>(&on_plane, plane.topology().structure().grid()?, components).placement;
        let slots = slots.into_iter().map(|slots| {
            let slot_of = cells.slots().iter().map(|cell| slots[cell.index()]);
            let placement = Placement::new(slot_of.collect());
            let nodes = placement.nodes(problem.machine.slots());
            let hop_bytes = hop_bytes_of(problem.affinity, problem.machine.topology(), &nodes);
            (hop_bytes, placement)
        });
        let (hop_bytes, placement) = slots.min_by_key(|(hop_bytes, _)| *hop_bytes)?;
        let placed = Placed {
            placement,
            diagnostics: Diagnostics {
                notes: vec![format!("by way of a plane of {}x{}", sides[0], sides[1])],
                ..Diagnostics::default()
            },
        };
        Some((hop_bytes, sides, placed))
    }

    /// The slot of every cell of the plane, by each of the heuristics that finds one; `None` if
    /// none does.
    fn folded(&self, problem: &Problem<'_>, sides: [usize; 2]) -> Option<Vec<Vec<SlotId>>> {
        let plane = neighbours(sides)?;
        let (affinity, pattern) = (plane.affinity(), pattern::analyze(&plane));
        let of_plane = Problem {
            graph: &plane,
            affinity: &affinity,
            pattern: &pattern,
            ..*problem
        };
        let placed = self
            .folded_by
            .iter()
            .filter_map(|h| h.place(&of_plane).ok());
        let slots: Vec<_> = placed.map(|p| p.placement.slots().to_vec()).collect();
        (!slots.is_empty()).then_some(slots)
    }
}

/// Every cell of a plane talks to the next one along either side.
fn neighbours([long, short]: [usize; 2]) -> Option<CommGraph> {
    let cells = long * short;
    let pairs = (0..cells).flat_map(|cell| {
        let right = (cell % short + 1 < short).then_some(cell + 1);
        let below = (cell + short < cells).then_some(cell + short);
        [right, below]
            .into_iter()
            .flatten()
            .map(move |other| (cell, other))
    });
    let messages = pairs.map(|(a, b)| Message {
        from: Rank::at(a),
        to: Rank::at(b),
        bytes: 1,
    });
    CommGraph::from_messages(cells, messages).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::star_stencil;

    #[test]
    fn graphs_grow_by_their_dimensions() {
        let dimensions = |dims: &[usize]| {
            let ranks: Vec<Rank> = (0..dims.iter().product()).map(Rank::at).collect();
            growth(&star_stencil(dims, false).affinity(), &ranks)
        };
        assert!((1.8..2.1).contains(&dimensions(&[140, 140]).unwrap()));
        assert!((BULKY..3.1).contains(&dimensions(&[30, 30, 30]).unwrap()));
        assert_eq!(dimensions(&[100, 100]), None);
    }

    #[test]
    fn planes_are_as_square_as_the_number_of_cells_allows() {
        assert_eq!(planes(4096, 2), [[64, 64], [128, 32]]);
        assert_eq!(planes(13, 2), [[0; 2]; 0]);
        assert_eq!(planes(12, 9), [[4, 3], [6, 2]]);
    }
}
