//! What the members that lay a 2D object grid onto a processor mesh share.

use super::AFFORDABLE;
use super::object::Object;
use crate::heuristic::{About, Family, Heuristic, NotApplicable, Placed, Problem};

/// Sizes of a plane, x first.
pub(super) type Size = (usize, usize);

/// Mesh cell of every object cell, both numbered row by row, y fastest.
pub(super) type CellMap = Vec<usize>;

/// A member of the suite by the way it lays objects.
#[derive(Clone, Copy, Debug)]
pub struct Published<L> {
    pub(super) about: About,
    pub(super) lay: L,
}

/// What every member of the suite has in common, and its own name and summary.
pub(super) const fn about(name: &'static str, summary: &'static str) -> About {
    About::new(name, Family::Regular, summary).up_to(AFFORDABLE)
}

/// A way to lay an object grid onto a mesh with as many cells.
pub(super) trait Lay: Sync {
    /// Dimensions of the mesh.
    const DIMS: usize;

    /// The mesh cell of every object, for the sizes of both and a seed, and choices worth telling.
    fn lay(
        &self,
        object: Size,
        mesh: &[usize],
        seed: u64,
    ) -> Result<(CellMap, Vec<String>), NotApplicable>;
}

impl<L: Lay> Heuristic for Published<L> {
    fn about(&self) -> &About {
        &self.about
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let object = Object::of(problem, L::DIMS)?;
        let (nodes, notes) = self.lay.lay(object.size(), object.mesh(), problem.seed)?;
        let mut placed = object.seat(problem, &nodes)?;
        placed.diagnostics.notes = notes;
        Ok(placed)
    }
}
