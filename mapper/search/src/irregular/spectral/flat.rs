//! `spectral-plane`: graphs that look like a plane are laid onto a virtual 2D grid first, and the
//! grid is then folded onto the machine.
//!
//! A graph such as the mesh of a surface fits a plane with as many cells as ranks, but not three
//! axes. Heuristics for grids of ranks fold planes onto tori and meshes so that nearly all
//! neighbours stay adjacent. Several planes are tried, and the one with the fewest hop-bytes is
//! kept.
//!
//! Source: new here. Evidence: 512 ranks of a 2D mesh on a torus of 8x8x8 took 1.51 hops per byte
//! in a prototype, Scotch 1.80. At a million ranks direct coordinates can be better, so both are
//! made and scored. Cost: that of `spectral` on the plane, plus the folding.

use super::relax::SMALL;
use super::{Components, embed, flatness};
use rankfold_base::{Placement, Rank, SlotId};
use rankfold_graph::{Affinity, CommGraph, Message};
use rankfold_machine::{Grid, GridNetwork, Machine};
use rankfold_metric::hop_bytes_of;
use rankfold_pattern as pattern;
use rankfold_problem::heuristic::{
    About, Diagnostics, Effort, Family, Heuristic, NotApplicable, Placed, Problem,
};
use rayon::prelude::*;

/// Most times that a plane may be longer than wide.
const LONGEST: usize = 8;

/// Ratio of the third to the second eigenvalue from which a graph counts as flat. In theory the
/// ratio is 2 for a square sheet and 1 for a cube; this value lies in the middle.
const FLAT: f64 = 1.5;

/// Growth exponent from which a large graph does not count as flat. Sheets have 2 and solids 3; a
/// test measures 1.8 to 2.1 for a 140x140 grid and more than this for a 30x30x30 grid.
const BULKY: f64 = 2.4;

/// Number of ranks around which the growth of neighbourhoods is measured.
const SAMPLED_RANKS: usize = 9;
/// The growth exponent is fitted between neighbourhoods that hold at least these numbers of ranks.
const FIT_FROM: usize = 100;
const FIT_TO: usize = 3000;

/// What an effort allows to try.
struct PlaneLimits {
    /// Number of planes, the squarest first.
    planes: usize,
    /// Whether graphs that do not look flat are refused.
    flat_only: bool,
}

impl PlaneLimits {
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

/// The heuristic `spectral-plane`.
pub(crate) struct SpectralPlane {
    /// Heuristics that fold a plane of ranks onto a torus or mesh; the best result is used.
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
        let limits = PlaneLimits::of(problem.effort);
        if limits.flat_only && !is_flat(problem, &components) {
            return refuse("the graph does not look flat (a higher --effort tries all the same)");
        }
        let planes = planes(problem.graph.ranks(), limits.planes);
        planes
            .into_par_iter()
            .filter_map(|sides| self.through(problem, &components, sides))
            .min_by_key(|(hop_bytes, sides, _)| (*hop_bytes, *sides))
            .map(|(_, _, placed)| placed)
            .ok_or_else(|| NotApplicable("no plane of so many cells folds onto the machine".into()))
    }
}

/// Whether a graph looks flat: by its growth exponent where it is large, by its eigenvalues
/// elsewhere.
fn is_flat(problem: &Problem<'_>, components: &Components) -> bool {
    match growth(
        problem.affinity,
        &components.order[components.ranges[0].clone()],
    ) {
        Some(dimensions) => dimensions < BULKY,
        None => flatness(problem, components) >= FLAT,
    }
}

/// The growth exponent of a large graph, an estimate of its number of dimensions: within r steps of
/// a rank there are about r^d ranks.
///
/// The median over some of the `ranks`; `None` if there are at most [`SMALL`] of them.
fn growth(affinity: &Affinity, ranks: &[Rank]) -> Option<f64> {
    if ranks.len() <= SMALL {
        return None;
    }
    let mut seen = vec![false; affinity.ranks()];
    let mut found: Vec<f64> = (0..SAMPLED_RANKS)
        .map(|sample| {
            let start = ranks[ranks.len() * (2 * sample + 1) / (2 * SAMPLED_RANKS)];
            let within = steps(affinity, start, &mut seen);
            let near = within
                .iter()
                .position(|&ranks| ranks >= FIT_FROM)
                .unwrap_or(0);
            let far = within.len() - 1;
            let (more, farther) = (
                within[far] as f64 / within[near] as f64,
                (far + 1) as f64 / (near + 1) as f64,
            );
            // If all ranks are within a few steps of each other, the graph has no dimensions.
            if far > near {
                more.ln() / farther.ln()
            } else {
                f64::INFINITY
            }
        })
        .collect();
    found.sort_by(f64::total_cmp);
    Some(found[SAMPLED_RANKS / 2])
}

/// The number of ranks within 1, 2, .. steps of `start`, until there are [`FIT_TO`]. `seen` is all
/// `false` before and after.
fn steps(affinity: &Affinity, start: Rank, seen: &mut [bool]) -> Vec<usize> {
    let (mut met, mut within, mut inner) = (vec![start], Vec::new(), 0);
    seen[start.index()] = true;
    while met.len() < FIT_TO && inner < met.len() {
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

/// The sides of the squarest planes with `cells` cells.
fn planes(cells: usize, most: usize) -> Vec<[usize; 2]> {
    let sides = (1..=cells.isqrt()).rev();
    let planes = sides.filter(|&a| cells.is_multiple_of(a) && cells / a <= LONGEST * a);
    planes.map(|a| [cells / a, a]).take(most).collect()
}

impl SpectralPlane {
    /// Hop-bytes, sides and placement by way of one plane; `None` if the plane cannot be folded.
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

    /// For each folding heuristic that applies, the slot of every cell of the plane; `None` if no
    /// heuristic applies.
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

/// The graph of a plane: every cell exchanges a byte with the next cell along either side.
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
    use rankfold_problem::testing::star_stencil;

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
