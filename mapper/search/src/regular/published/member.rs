//! What all members share that map a 2D object grid onto a processor mesh.

use super::AFFORDABLE;
use super::object::{MeshFit, ObjectGrid};
use rankfold_problem::heuristic::{About, Family, Heuristic, NotApplicable, Placed, Problem};

/// Sizes of a plane, x first.
pub(super) type PlaneSize = (usize, usize);

/// Mesh cell of every object cell, both numbered row by row, y fastest.
pub(super) type CellMap = Vec<usize>;

/// A published heuristic, defined by its rule for laying out objects.
#[derive(Clone, Copy, Debug)]
pub struct Published<L> {
    pub(super) about: About,
    pub(super) fit: MeshFit,
    pub(super) lay: L,
}

/// The description of a member: its own name and summary, and the properties all members share.
pub(super) const fn about(name: &'static str, summary: &'static str) -> About {
    About::new(name, Family::Regular, summary).up_to(AFFORDABLE)
}

/// A rule that lays out an object grid on a mesh.
pub(super) trait LayoutRule: Sync {
    /// Number of dimensions of the mesh.
    const DIMS: usize;

    /// The mesh cell of every object, for the sizes of grid and mesh and a seed, and notes on
    /// choices made for the diagnostics.
    fn lay(
        &self,
        object: PlaneSize,
        mesh: &[usize],
        seed: u64,
    ) -> Result<(CellMap, Vec<String>), NotApplicable>;
}

impl<L: LayoutRule> Heuristic for Published<L> {
    fn about(&self) -> &About {
        &self.about
    }

    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable> {
        let object = ObjectGrid::of(problem, L::DIMS, self.fit)?;
        let (nodes, notes) = self.lay.lay(object.size(), object.mesh(), problem.seed)?;
        let mut placed = object.seat(problem, &nodes)?;
        placed.diagnostics.notes = notes;
        Ok(placed)
    }
}
