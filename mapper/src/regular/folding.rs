//! Folding (Bhatele, "Automating topology aware mapping for supercomputers", 2010, section VI, heuristic 2).
//!
//! The longer side of a 2D grid of ranks is cut into as many pieces as the machine's smallest dimension
//! is long; every piece fills one plane perpendicular to it, and every second piece is flipped, so that
//! neighbours across a cut sit behind one another:
//!
//! ```text
//! ranks  abcdefghijkl     planes  0 abc
//!                                 1 fed
//!                                 2 ghi
//!                                 3 lkj
//! ```
//!
//! The paper maps a piece onto its plane by the best of its 2D heuristics; here the factorisation of
//! [`factor`](super::factor) does that, which also fills the cores of the nodes.

use super::factor::{self, Source};
use super::roster::Roster;
use super::target::{Geometry, Target};
use crate::heuristic::{Diagnostics, Family, Heuristic, NotApplicable, Placed, Problem};
use crate::ids::NodeId;
use crate::pattern::Stencil;

/// The accordion fold of 2D grids into 3D meshes and tori.
#[derive(Debug)]
pub struct Folding;

impl Heuristic for Folding {
    fn name(&self) -> &'static str {
        "folding"
    }

    fn family(&self) -> Family {
        Family::Regular
    }

    fn summary(&self) -> &'static str {
        "2D grid folded like an accordion into a 3D mesh or torus (Bhatele 2010, VI.2)"
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let stencil = problem
            .pattern
            .stencils()
            .find(|s| s.dims.len() == 2)
            .ok_or_else(|| NotApplicable("the ranks form no 2D grid".into()))?;
        let topology = problem.machine.topology();
        if topology.grid().is_none_or(|grid| grid.dims().len() != 3) {
            return Err(NotApplicable("the machine is no 3D mesh or torus".into()));
        }
        let geometry = Geometry::of(problem.machine)?;
        let fold = Fold::new(stencil, &geometry)?;
        let cells = fold.nodes(stencil, &geometry)?;
        let placement = Roster::of(stencil, problem).placement(&cells)?;
        Ok(Placed {
            placement,
            diagnostics: Diagnostics {
                notes: vec![fold.describe()],
                ..Diagnostics::default()
            },
        })
    }
}

/// Where the cuts are and where the pieces go.
struct Fold {
    /// The longer dimension of the grid, which is cut.
    side: usize,
    /// Its length in one piece.
    length: usize,
    /// The machine's smallest dimension, along which the pieces lie behind one another.
    depth: usize,
    /// The other two dimensions and the cores.
    plane: Target,
}

impl Fold {
    fn new(stencil: &Stencil, geometry: &Geometry) -> Result<Self, NotApplicable> {
        let ranks = stencil.cells();
        let mut plane = geometry
            .boxes(ranks)
            .into_iter()
            .find(|b| b.sizes.starts_with(&geometry.sizes))
            .ok_or_else(|| NotApplicable(format!("{ranks} ranks do not fill every node alike")))?;
        let smallest = (0..3).min_by_key(|&d| geometry.sizes[d]);
        let depth = smallest.unwrap_or_default();
        let pieces = plane.sizes.remove(depth);
        plane.axes.remove(depth);
        let side = usize::from(stencil.dims[1] > stencil.dims[0]);
        let long = stencil.dims[side];
        if !long.is_multiple_of(pieces) {
            return Err(NotApplicable(format!(
                "side {long} cannot be cut into {pieces} equal pieces"
            )));
        }
        Ok(Self {
            side,
            length: long / pieces,
            depth,
            plane,
        })
    }

    /// The node of every cell.
    fn nodes(&self, stencil: &Stencil, geometry: &Geometry) -> Result<Vec<NodeId>, NotApplicable> {
        let mut piece = stencil.dims.clone();
        piece[self.side] = self.length;
        let source = Source {
            dims: piece.clone(),
            ..Source::of(stencil)
        };
        let ways = factor::best(&source, &self.plane, 1);
        let [base] = &ways[..] else {
            return Err(NotApplicable(format!(
                "a piece of {}x{} does not factor onto its plane",
                piece[0], piece[1]
            )));
        };
        Ok((0..stencil.cells())
            .map(|cell| {
                let (layer, at) = self.fold(stencil.coordinates(cell));
                let mut node = base.place(&at);
                node.insert(self.depth, layer);
                geometry.node(&node)
            })
            .collect())
    }

    /// The piece a cell lies in, and its place there; odd pieces are flipped.
    fn fold(&self, mut at: Vec<usize>) -> (usize, Vec<usize>) {
        let (layer, along) = (at[self.side] / self.length, at[self.side] % self.length);
        at[self.side] = if layer.is_multiple_of(2) {
            along
        } else {
            self.length - 1 - along
        };
        (layer, at)
    }

    fn describe(&self) -> String {
        format!(
            "pieces of length {} along machine dimension {}",
            self.length, self.depth
        )
    }
}
