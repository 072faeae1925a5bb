//! The object grid: the grid of ranks, or of node bricks of them, and its processor mesh.

use crate::heuristic::{NotApplicable, Placed, Problem};
use crate::regular::grid_ranks::GridRanks;
use rankfold_model::ids::NodeId;
use rankfold_model::machine::Grid;
use rankfold_model::pattern::Stencil;

/// A 2D grid of bricks, one brick a node.
pub(super) struct Object<'a> {
    stencil: &'a Stencil,
    mesh: &'a [usize],
    /// Ranks of a brick along each dimension.
    brick: [usize; 2],
}

impl<'a> Object<'a> {
    /// # Errors
    /// [`NotApplicable`]: no 2D grid, a machine of other dimensions, nodes of unequal size, or more
    /// slots than cells.
    pub(super) fn of(problem: &Problem<'a>, dims: usize) -> Result<Self, NotApplicable> {
        let no = |reason: String| Err(NotApplicable(reason));
        let mut stencils = problem.pattern.stencils();
        let Some(stencil) = stencils.find(|s| s.dims.len() == 2) else {
            return no("the ranks form no 2D grid".into());
        };
        let grid = problem.machine.topology().structure().grid();
        let mesh = grid.map(Grid::dims).filter(|d| d.len() == dims);
        let Some(mesh) = mesh else {
            return no(format!("the machine is no {dims}D mesh or torus"));
        };
        let slots = problem.machine.slots();
        let cores = slots.capacity(NodeId(0)) as usize;
        let equal = (0..slots.nodes()).all(|n| slots.capacity(NodeId::at(n)) as usize == cores);
        if !equal || stencil.cells() != slots.len() {
            return no(format!(
                "{} cells do not fill every node alike",
                stencil.cells()
            ));
        }
        let brick = brick(&stencil.dims, cores);
        Ok(Self {
            stencil,
            mesh,
            brick,
        })
    }

    /// Bricks along each dimension.
    pub(super) fn size(&self) -> (usize, usize) {
        let [a, b] = self.brick;
        (self.stencil.dims[0] / a, self.stencil.dims[1] / b)
    }

    /// Sizes of the processor mesh.
    pub(super) fn mesh(&self) -> &[usize] {
        self.mesh
    }

    /// Everybody seated, given the node of every brick in row order.
    pub(super) fn seat(
        &self,
        problem: &Problem<'_>,
        nodes: &[usize],
    ) -> Result<Placed, NotApplicable> {
        let (_, high) = self.size();
        let cells: Vec<NodeId> = (0..self.stencil.cells())
            .map(|cell| {
                let (x, y) = (cell / self.stencil.dims[1], cell % self.stencil.dims[1]);
                NodeId::at(nodes[x / self.brick[0] * high + y / self.brick[1]])
            })
            .collect();
        GridRanks::of(self.stencil, problem)
            .placement(&cells)
            .map(Placed::from)
    }
}

/// The brick of `cores` ranks with the smallest surface that divides the grid, whose cells they
/// divide.
fn brick(dims: &[usize], cores: usize) -> [usize; 2] {
    (1..=cores)
        .filter(|a| cores.is_multiple_of(*a))
        .map(|a| [a, cores / a])
        .filter(|[a, b]| dims[0].is_multiple_of(*a) && dims[1].is_multiple_of(*b))
        .min_by_key(|[a, b]| a + b)
        .expect("what divides a product is a product of divisors")
}
